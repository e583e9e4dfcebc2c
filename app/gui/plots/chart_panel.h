// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/figure_panel.h"

class QGraphicsView;

namespace fuselab::gui {

// A FigurePanel for a chart of Qt Charts, as PlotPanel is for a plot.
class ChartPanel : public FigurePanel {
  Q_OBJECT

 public:
  // Takes ownership of the chart, which is named "<name>.chart".
  ChartPanel(const QString& name, QGraphicsView* chart, QWidget* parent = nullptr);

  // The figures that the chart shows: its title, its table and its CSV.
  void set_figures(PlotSpec figures);

 protected:
  const PlotSpec& figures() const override { return figures_; }
  Status save_as(const QString& file) override;

 private:
  QGraphicsView* chart_;
  PlotSpec figures_;
};

}  // namespace fuselab::gui
