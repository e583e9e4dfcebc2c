// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/chart_panel.h"

#include <QGraphicsView>

#include "app/gui/plots/drawing/plot_export.h"

namespace fuselab::gui {

ChartPanel::ChartPanel(const QString& name, QGraphicsView* chart, QWidget* parent)
    : FigurePanel(name, chart, parent), chart_(chart) {
  chart_->setObjectName(name + QLatin1String(".chart"));
}

void ChartPanel::set_figures(PlotSpec figures) {
  figures_ = std::move(figures);
  figures_changed();
}

Status ChartPanel::save_as(const QString& file) {
  return save_chart(*chart_, figures_, file);
}

}  // namespace fuselab::gui
