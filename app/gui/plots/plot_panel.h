// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/figure_panel.h"

namespace fuselab::gui {

class PlotCanvas;

// A plot: what FigurePanel gives, a scale to choose, and the way back to all data.
class PlotPanel : public FigurePanel {
  Q_OBJECT

 public:
  // The plot is "<name>.canvas".
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

  PlotSpec spec_;  // as given; the canvas may show it on another scale
  PlotCanvas* canvas_;
  QToolButton* log_;
};

}  // namespace fuselab::gui
