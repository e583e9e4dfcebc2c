// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/figure_panel.h"

namespace fuselab::gui {

class PlotCanvas;

// A FigurePanel for a plot, with a choice of scale and a way back to all data.
class PlotPanel : public FigurePanel {
  Q_OBJECT

 public:
  // The plot's widget is named "<name>.canvas".
  explicit PlotPanel(const QString& name, QWidget* parent = nullptr);

  void set_spec(PlotSpec spec);
  PlotCanvas* canvas() const { return canvas_; }
  std::vector<Command> commands() override;

 protected:
  const PlotSpec& figures() const override;
  Status save_as(const QString& file) override;

 private:
  PlotPanel(const QString& name, PlotCanvas* canvas, QWidget* parent);
  bool has_choice_of_scale() const;
  void show_spec();

  PlotSpec spec_;  // as passed in; the canvas may show it on another scale
  PlotCanvas* canvas_;
  QToolButton* log_;
};

}  // namespace fuselab::gui
