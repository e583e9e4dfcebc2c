// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "app/gui/plots/plot_spec.h"

class QGraphicsView;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace fuselab::gui {

class PlotTableModel;
class TableView;

// A chart with its title, the table of its figures one toggle away, and its exports: what PlotPanel is for a plot.
class ChartPanel : public QWidget {
  Q_OBJECT

 public:
  // Takes the chart. `name` prefixes the object names of the parts: "<name>.chart", "<name>.table", "<name>.toggle",
  // "<name>.export".
  ChartPanel(const QString& name, QGraphicsView* chart, QWidget* parent = nullptr);

  // The figures that the chart shows: its title, its table and its CSV.
  void set_figures(PlotSpec figures);
  bool shows_table() const;
  void show_table(bool shown);
  void save(const QString& file);  // says in a dialog why not

 private:
  void refresh_table();

  PlotSpec figures_;
  QGraphicsView* chart_;
  QLabel* title_;
  QToolButton* toggle_;
  QStackedWidget* stack_;
  TableView* table_;
  PlotTableModel* model_;
};

}  // namespace fuselab::gui
