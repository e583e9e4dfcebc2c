// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/chart_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QGraphicsView>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/elided_label.h"
#include "app/gui/figures.h"
#include "app/gui/models/plot_table_model.h"
#include "app/gui/pages/table_view.h"
#include "app/gui/plots/plot_bar.h"
#include "app/gui/plots/plot_export.h"

namespace fuselab::gui {

ChartPanel::ChartPanel(const QString& name, QGraphicsView* chart, QWidget* parent)
    : QWidget(parent),
      chart_(chart),
      title_(new ElidedLabel({}, this)),
      toggle_(
          make_plot_button(this, name + QLatin1String(".toggle"), tr("Table"), tr("Show the figures behind the plot as a table"))),
      stack_(new QStackedWidget(this)),
      table_(new TableView),
      model_(new PlotTableModel(this)) {
  chart_->setObjectName(name + QLatin1String(".chart"));
  table_->setObjectName(name + QLatin1String(".table"));
  table_->setModel(model_);
  title_->setProperty("role", QStringLiteral("section"));
  toggle_->setCheckable(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 2, 4, 0);
  bar->addWidget(title_, 1);
  bar->addWidget(toggle_);
  bar->addWidget(make_export_button(
      this, name + QLatin1String(".export"), [this] { return figures_.title; }, [this](const QString& file) { save(file); },
      [this] { QApplication::clipboard()->setText(plot_csv(figures_)); }));
  stack_->addWidget(chart_);
  stack_->addWidget(table_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(stack_, 1);
  connect(toggle_, &QToolButton::toggled, this, &ChartPanel::show_table);
}

void ChartPanel::set_figures(PlotSpec figures) {
  figures_ = std::move(figures);
  title_->setText(figures_.title);
  table_->setAccessibleName(tr("Table of the plot: %1").arg(figures_.title));
  refresh_table();
}

bool ChartPanel::shows_table() const {
  return stack_->currentWidget() == table_;
}

void ChartPanel::show_table(bool shown) {
  stack_->setCurrentWidget(shown ? static_cast<QWidget*>(table_) : chart_);
  toggle_->setChecked(shown);
  refresh_table();
}

void ChartPanel::refresh_table() {
  if (!shows_table()) return;
  model_->set_spec(figures_);
  table_->apply_widths();
}

void ChartPanel::save(const QString& file) {
  Status const saved = save_chart(*chart_, figures_, file);
  if (!saved.ok()) QMessageBox::warning(this, tr("Not saved"), text_of(saved.error().message));
}

}  // namespace fuselab::gui
