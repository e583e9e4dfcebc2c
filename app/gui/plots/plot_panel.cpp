// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/elided_label.h"
#include "app/gui/figures.h"
#include "app/gui/models/plot_table_model.h"
#include "app/gui/pages/table_view.h"
#include "app/gui/plots/plot_bar.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_export.h"

namespace fuselab::gui {
PlotPanel::PlotPanel(const QString& name, QWidget* parent)
    : QWidget(parent),
      title_(new ElidedLabel({}, this)),
      stack_(new QStackedWidget(this)),
      canvas_(new PlotCanvas),
      table_(new TableView),
      model_(new PlotTableModel(this)) {
  canvas_->setObjectName(name + QLatin1String(".canvas"));
  table_->setObjectName(name + QLatin1String(".table"));
  table_->setModel(model_);
  title_->setProperty("role", QStringLiteral("section"));
  toggle_ = make_plot_button(this, name + QLatin1String(".toggle"), tr("Table"), tr("Show the figures behind the plot as a table"));
  toggle_->setCheckable(true);
  log_ = make_plot_button(this, name + QLatin1String(".log"), tr("Log"), tr("Logarithmic scale: small figures beside large ones"));
  log_->setCheckable(true);
  auto* fit = make_plot_button(this, name + QLatin1String(".fit"), tr("Fit"), tr("Show all data (Home)"));
  auto* save = make_export_button(
      this, name + QLatin1String(".export"), [this] { return canvas_->spec().title; },
      [this](const QString& file) { save_as(file); }, [this] { copy_csv(); });

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 4, 0);
  bar->addWidget(title_, 1);
  bar->addWidget(log_);
  bar->addWidget(toggle_);
  bar->addWidget(fit);
  bar->addWidget(save);
  stack_->addWidget(canvas_);
  stack_->addWidget(table_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(bar);
  column->addWidget(stack_, 1);

  connect(toggle_, &QToolButton::toggled, this, &PlotPanel::show_table);
  connect(log_, &QToolButton::toggled, this, &PlotPanel::show_spec);
  connect(fit, &QToolButton::clicked, canvas_, &PlotCanvas::show_all);
}

void PlotPanel::set_spec(PlotSpec spec) {
  title_->setText(spec.title);
  title_->setToolTip(spec.title);
  table_->setAccessibleName(tr("Table of the plot: %1").arg(spec.title));
  // A plot that is logarithmic by its nature stays so; the others may be looked at either way.
  log_->setVisible(spec.y.scale == Scale::kLinear && !is_empty(spec));
  spec_ = std::move(spec);
  show_spec();
}

void PlotPanel::show_spec() {
  PlotSpec shown = spec_;
  if (log_->isChecked() && shown.y.scale == Scale::kLinear) {
    shown.y.scale = Scale::kLog;
    shown.y.low.reset();  // zero has no place on it
  }
  canvas_->set_spec(std::move(shown));
  refresh_table();
}

bool PlotPanel::shows_table() const {
  return stack_->currentWidget() == table_;
}

void PlotPanel::show_table(bool shown) {
  stack_->setCurrentWidget(shown ? static_cast<QWidget*>(table_) : canvas_);
  toggle_->setChecked(shown);
  refresh_table();
}

// The table of a plot that nobody looks at costs nothing.
void PlotPanel::refresh_table() {
  if (!shows_table()) return;
  model_->set_spec(canvas_->spec());
  table_->apply_widths();
}

void PlotPanel::save_as(const QString& file) {
  Status const saved = save_plot(canvas_->spec(), colors_for(this), canvas_->size(), file);
  if (!saved.ok()) QMessageBox::warning(this, tr("Not saved"), text_of(saved.error().message));
}

void PlotPanel::copy_csv() {
  QApplication::clipboard()->setText(plot_csv(canvas_->spec()));
}

}  // namespace fuselab::gui
