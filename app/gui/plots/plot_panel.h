// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "app/gui/plots/plot_spec.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace fuselab::gui {

class PlotCanvas;
class PlotTableModel;
class TableView;

// A plot with its title, its table (one toggle away) and its exports.
class PlotPanel : public QWidget {
  Q_OBJECT

 public:
  // `name` prefixes the object names of the parts: "<name>.canvas", "<name>.table", "<name>.toggle", "<name>.export".
  explicit PlotPanel(const QString& name, QWidget* parent = nullptr);

  void set_spec(PlotSpec spec);
  PlotCanvas* canvas() const { return canvas_; }
  bool shows_table() const;
  void show_table(bool shown);

 private:
  void save_as(const QString& file);
  void copy_csv();
  void refresh_table();
  void show_spec();

  PlotSpec spec_;  // as given; the canvas may show it on another scale
  QLabel* title_ = nullptr;
  QToolButton* toggle_ = nullptr;
  QToolButton* log_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  PlotCanvas* canvas_ = nullptr;
  TableView* table_ = nullptr;
  PlotTableModel* model_ = nullptr;
};

}  // namespace fuselab::gui
