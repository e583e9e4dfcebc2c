// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_panel.h"

#include <QToolButton>

#include "app/gui/plots/drawing/plot_export.h"
#include "app/gui/plots/plot_canvas.h"

namespace fuselab::gui {

PlotPanel::PlotPanel(const QString& name, QWidget* parent) : PlotPanel(name, new PlotCanvas, parent) {}

PlotPanel::PlotPanel(const QString& name, PlotCanvas* canvas, QWidget* parent)
    : FigurePanel(name, canvas, parent), canvas_(canvas) {
  canvas_->setObjectName(name + QLatin1String(".canvas"));
  log_ = add_button(1, name + QLatin1String(".log"), tr("Log"), tr("Logarithmic scale: small figures beside large ones"));
  log_->setCheckable(true);
  auto* fit = add_button(3, name + QLatin1String(".fit"), tr("Fit"), tr("Show all data (Home)"));
  connect(log_, &QToolButton::toggled, this, &PlotPanel::show_spec);
  connect(fit, &QToolButton::clicked, canvas_, &PlotCanvas::show_all);
}

void PlotPanel::set_spec(PlotSpec spec) {
  spec_ = std::move(spec);
  log_->setVisible(has_choice_of_scale());
  show_spec();
}

// A plot that is logarithmic by its nature stays so; the others may be looked at either way.
bool PlotPanel::has_choice_of_scale() const {
  return spec_.y.scale == Scale::kLinear && !is_empty(spec_);
}

void PlotPanel::show_spec() {
  PlotSpec shown = spec_;
  if (log_->isChecked() && shown.y.scale == Scale::kLinear) {
    shown.y.scale = Scale::kLog;
    shown.y.low.reset();  // zero has no place on it
  }
  canvas_->set_spec(std::move(shown));
  figures_changed();
}

const PlotSpec& PlotPanel::figures() const {
  return canvas_->spec();
}

Status PlotPanel::save_as(const QString& file) {
  return save_plot(canvas_->spec(), colors_for(this), canvas_->size(), file);
}

std::vector<Command> PlotPanel::commands() {
  std::vector<Command> all = FigurePanel::commands();
  const QString scale = log_->isChecked() ? tr("Linear axis") : tr("Logarithmic axis");
  all.push_back({titled(scale), {}, has_choice_of_scale(), [this] { log_->toggle(); }});
  all.push_back(
      {titled(tr("Show all data of the plot")), QStringLiteral("Home"), !is_empty(spec_), [this] { canvas_->show_all(); }});
  return all;
}

}  // namespace fuselab::gui
