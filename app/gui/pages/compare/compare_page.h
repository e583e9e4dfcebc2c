// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/models/compare_model.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace fuselab::gui {

class ColumnPresets;
class PieceModel;
class PlotPanel;
class ChartPanel;
class TotalsChart;

// The page that shows which backend runs each fused piece fastest, how much fusion gained or lost, and how far that is from the
// hardware's ceiling.
class ComparePage : public Page {
  Q_OBJECT

 public:
  explicit ComparePage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a piece key, in whichever model has it
  void take_model(const ModelChoice& choice) override;
  void receive(const Handed& handed) override;
  std::string own_command() const override;

 protected:
  QString run_words(const QString& name) const override { return only_run_words(name); }
  void showEvent(QShowEvent* event) override;

 private:
  void build_header();
  void build_body();
  void refresh();     // the list of models
  void show_model();  // the chosen one
  void say_model();   // to the window, while it has none
  void show_mode();
  void show_totals();
  void show_plots();  // the chosen rows and device
  std::vector<std::string> chosen_pieces() const;
  void choose_piece(const std::string& key);
  Handed shown_model() const;
  Handed chosen_piece() const;  // with the device and trial of the cell, where it is of a device
  Handed chosen_total() const;
  void profile_chosen();
  void tune_chosen();
  QString summary() const;
  bool only_scripted() const;      // whether scripted trials are stored but not compared
  QString hidden_text() const;     // note on stored rows not shown: scripted, or of another machine, driver or version
  QString elsewhere_text() const;  // note on rows stored in another mode; empty where there are none
  void explain_emptiness();
  void explain_boxes();

  CompareModel* model_;
  TotalsModel* totals_;
  PieceModel* piece_;
  QSortFilterProxyModel* proxy_;
  TableView* table_ = nullptr;
  TableView* totals_table_ = nullptr;
  QComboBox* models_ = nullptr;
  QComboBox* devices_ = nullptr;
  QComboBox* modes_ = nullptr;
  QLineEdit* filter_ = nullptr;
  ColumnPresets* columns_ = nullptr;
  QToolButton* profile_ = nullptr;
  QToolButton* tune_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  PlotPanel* times_ = nullptr;
  PlotPanel* backends_ = nullptr;
  PlotPanel* roofline_ = nullptr;
  PlotPanel* gains_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QString wanted_device_;    // as the user chose; empty: the recommended one
  bool follows_job_ = true;  // shows what the last job measured; false once the user chose a model
  bool compared_ = false;    // whether the tab of backends was once brought forward
  TotalsChart* totals_chart_ = nullptr;
  ChartPanel* totals_panel_ = nullptr;  // around it
};

}  // namespace fuselab::gui
