// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include "app/gui/models/history_model.h"
#include "app/gui/pages/page.h"

class QStackedWidget;

namespace fuselab::gui {

class PlotPanel;

// The page of many runs of the gate: where the level of a case changed, and between which commits. For trends and for bisection.
class HistoryPage : public Page {
  Q_OBJECT

 public:
  explicit HistoryPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a case's name
  std::string own_command() const override;

 private:
  void build_header();
  void build_body();
  void ask_for_files();
  void load(const QStringList& files);
  void take(const QStringList& files, Result<GateHistory> loaded);
  void show_series(int row);
  Handed chosen_case() const;
  QString summary() const;

  HistoryModel* model_;
  ChangeModel* changes_;
  GateHistoryPtr history_;
  QStringList files_;
  QAction* open_ = nullptr;
  TableView* table_ = nullptr;
  TableView* change_table_ = nullptr;
  PlotPanel* plot_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
