// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/figure_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/drawing/plot_export.h"
#include "app/gui/plots/plot_table_model.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {

FigurePanel::FigurePanel(const QString& name, QWidget* picture, QWidget* parent)
    : QWidget(parent),
      bar_(new QHBoxLayout),
      title_(new ElidedLabel({}, this)),
      stack_(new QStackedWidget(this)),
      picture_(picture),
      table_(new TableView),
      model_(new PlotTableModel(this)) {
  table_->setObjectName(name + QLatin1String(".table"));
  table_->setAccessibleName(tr("Table of the plot"));
  table_->setModel(model_);
  title_->setProperty("role", QStringLiteral("section"));
  bar_->setContentsMargins(8, 2, 4, 0);
  bar_->addWidget(title_, 1);
  toggle_ = add_button(1, name + QLatin1String(".toggle"), tr("Table"), tr("Show the figures behind the plot as a table"));
  toggle_->setCheckable(true);
  auto* save =
      add_button(2, name + QLatin1String(".export"), tr("Export ▾"), tr("Save the plot as PNG, SVG or CSV, or copy its data"));
  save->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(save);
  menu->addAction(tr("Save as PNG, SVG or CSV…"), this, &FigurePanel::ask_and_save);
  menu->addAction(tr("Copy data as CSV"), this, &FigurePanel::copy_csv);
  save->setMenu(menu);
  stack_->addWidget(picture_);
  stack_->addWidget(table_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar_);
  column->addWidget(stack_, 1);
  connect(toggle_, &QToolButton::toggled, this, &FigurePanel::show_table);
}

QToolButton* FigurePanel::add_button(int place, const QString& name, const QString& text, const QString& tooltip) {
  auto* button = new QToolButton(this);
  button->setObjectName(name);
  button->setText(text);
  button->setToolTip(tooltip);
  button->setAccessibleName(tooltip);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::StrongFocus);
  bar_->insertWidget(place, button);
  return button;
}

void FigurePanel::figures_changed() {
  const QString& title = figures().title;
  title_->set_brief(figures().brief_title);
  title_->setText(title);
  title_->setToolTip(title);
  table_->setAccessibleName(tr("Table of the plot: %1").arg(title));
  refresh_table();
}

bool FigurePanel::shows_table() const {
  return stack_->currentWidget() == table_;
}

void FigurePanel::show_table(bool shown) {
  stack_->setCurrentWidget(shown ? static_cast<QWidget*>(table_) : picture_);
  toggle_->setChecked(shown);
  refresh_table();
}

// The table of a plot that nobody looks at costs nothing.
void FigurePanel::refresh_table() {
  if (!shows_table()) return;
  model_->set_spec(figures());
  table_->apply_widths();
}

void FigurePanel::save(const QString& file) {
  const Status saved = save_as(file);
  if (!saved.ok()) QMessageBox::warning(this, tr("Not saved"), window_words(saved.error()));
}

void FigurePanel::ask_and_save() {
  const QString file = QFileDialog::getSaveFileName(this, tr("Save plot"), file_name_for(figures().title) + QLatin1String(".png"),
                                                    tr("Picture (*.png);;Drawing (*.svg);;Data (*.csv)"));
  if (!file.isEmpty()) save(file);
}

void FigurePanel::copy_csv() {
  QApplication::clipboard()->setText(plot_csv(figures()));
}

QString FigurePanel::export_words() {
  return tr("Export the plot as PNG, SVG or CSV…");
}

// Several plots can be seen at once.
QString FigurePanel::titled(const QString& command) const {
  return figures().title.isEmpty() ? command : QStringLiteral("%1 – %2").arg(command, figures().title);
}

std::vector<Command> FigurePanel::commands() {
  const bool any = !is_empty(figures());
  return {{titled(export_words()), {}, any, [this] { ask_and_save(); }},
          {titled(tr("Copy the plot's data as CSV")), {}, any, [this] { copy_csv(); }},
          {titled(shows_table() ? tr("Plot instead of its table") : tr("Table behind the plot")), {}, true, [this] {
             show_table(!shows_table());
           }}};
}

}  // namespace fuselab::gui
