// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
  void receive(const Handed& handed) override { go_to(handed.run); }
  void take_scope(const WorkScope& scope) override;
  std::string own_command() const override;  // shows the chosen run's environment

 protected:
  QString run_words(const QString& /*name*/) const override { return {}; }  // all are listed, and that one is chosen

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
  Handed chosen_run() const;
  struct Texts {
    QString name, tags, note;
  };
  bool has_changes() const;  // texts were typed that are not saved
  void keep_texts();         // of the run that is shown, when another one is chosen
  void set_changed(bool changed);
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
  std::string shown_;                   // id of the run whose texts and card are shown
  QString scope_run_;                   // of the window, as it was taken
  std::string wanted_;                  // id that go_to() asked for and that is not in the list yet
  std::map<std::string, Texts> typed_;  // by the id of the run: not saved yet
};

}  // namespace fuselab::gui
