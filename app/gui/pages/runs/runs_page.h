// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/compare/runs/run_marking.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/runs/run_model.h"

class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;

namespace fuselab::gui {

class FactView;

// The page of stored runs: what each measured, its name, tags, note and pin, which can be changed, and its environment card.
class RunsPage : public Page {
  Q_OBJECT

 public:
  explicit RunsPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // the id of a run

 private:
  void build_header();
  QWidget* build_detail();
  void build_body();
  QPushButton* add_button(const QString& name, const QString& text, const QString& tip, const QKeySequence& shortcut,
                          void (RunsPage::*act)());
  void refresh();
  void show_row(int row);
  void show_card(const std::string& id);
  const engine::ListedRun* chosen() const;
  void save();
  void pin();
  void compare();
  void edit_name();
  void change(engine::RunChange wanted);

  RunModel* model_;
  CardModel* card_;
  TableView* table_ = nullptr;
  FactView* card_table_ = nullptr;
  QLineEdit *name_ = nullptr, *tags_ = nullptr;
  QPlainTextEdit* note_ = nullptr;
  QLabel* problem_ = nullptr;
  QPushButton *save_ = nullptr, *pin_ = nullptr, *compare_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  std::string shown_;  // id of the run whose texts and card are shown
};

}  // namespace fuselab::gui
