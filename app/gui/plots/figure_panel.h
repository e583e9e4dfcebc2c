// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "app/gui/link/command.h"
#include "app/gui/plots/drawing/plot_spec.h"
#include "core/base/result.h"

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace fuselab::gui {

class ElidedLabel;
class PlotTableModel;
class TableView;

// A picture of figures with its title, a toggle to the table of the figures, and its exports.
class FigurePanel : public QWidget {
  Q_OBJECT

 public:
  bool shows_table() const;
  void show_table(bool shown);
  void save(const QString& file);  // on failure, shows the reason in a dialog
  // Returns the commands of the panel.
  virtual std::vector<Command> commands();
  static QString export_words();

 protected:
  // Takes ownership of the picture. `name` prefixes the object names of the parts: "<name>.table", "<name>.toggle",
  // "<name>.export".
  FigurePanel(const QString& name, QWidget* picture, QWidget* parent);

  virtual const PlotSpec& figures() const = 0;  // as they are shown
  virtual Status save_as(const QString& file) = 0;
  void figures_changed();
  QToolButton* add_button(int place, const QString& name, const QString& text, const QString& tooltip);  // beside the title
  QString titled(const QString& command) const;

 private:
  void refresh_table();
  void ask_and_save();
  void copy_csv();

  QHBoxLayout* bar_;
  ElidedLabel* title_;
  QStackedWidget* stack_;
  QWidget* picture_;
  QToolButton* toggle_ = nullptr;
  TableView* table_;
  PlotTableModel* model_;
};

}  // namespace fuselab::gui
