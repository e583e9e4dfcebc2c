// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_bar.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMenu>
#include <QToolButton>
#include <utility>

#include "app/gui/plots/builders.h"
#include "app/gui/plots/plot_panel.h"

namespace fuselab::gui {

QToolButton* make_plot_button(QWidget* parent, const QString& name, const QString& text, const QString& tooltip) {
  auto* button = new QToolButton(parent);
  button->setObjectName(name);
  button->setText(text);
  button->setToolTip(tooltip);
  button->setAccessibleName(tooltip);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::StrongFocus);
  return button;
}

QToolButton* make_export_button(QWidget* parent, const QString& name, std::function<QString()> title,
                                std::function<void(const QString& file)> save, std::function<void()> copy) {
  auto* button = make_plot_button(parent, name, PlotPanel::tr("Export ▾"),
                                  PlotPanel::tr("Save the plot as PNG, SVG or CSV, or copy its data"));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  menu->addAction(PlotPanel::tr("Save as PNG, SVG or CSV…"), parent, [parent, title = std::move(title), save = std::move(save)] {
    QString const file =
        QFileDialog::getSaveFileName(parent, PlotPanel::tr("Save plot"), file_name_for(title()) + QLatin1String(".png"),
                                     PlotPanel::tr("Picture (*.png);;Drawing (*.svg);;Data (*.csv)"));
    if (!file.isEmpty()) save(file);
  });
  menu->addAction(PlotPanel::tr("Copy data as CSV"), parent, std::move(copy));
  button->setMenu(menu);
  return button;
}

}  // namespace fuselab::gui
