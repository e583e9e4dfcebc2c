// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include "app/gui/look/theme.h"
#include "app/gui/plots/drawing/plot_spec.h"
#include "core/base/result.h"

class QGraphicsView;

namespace fuselab::gui {

// Return the plot as it is printed: all data, no selection. Numbers in the CSV are plain digits in SI base units, independent of
// the language.
QImage plot_image(const PlotSpec& spec, const ThemeColors& colors, const QSize& size, double ratio);
QString plot_svg(const PlotSpec& spec, const ThemeColors& colors, const QSize& size);
QString plot_csv(const PlotSpec& spec);

// Return the same for a chart, which paints itself as it is seen; `figures` are for the CSV and the title.
QImage chart_image(QGraphicsView& chart, double ratio);
QString chart_svg(QGraphicsView& chart, const QString& title);
Status save_chart(QGraphicsView& chart, const PlotSpec& figures, const QString& file);

// Saves in the format of the file's ending: .png, .svg or .csv. Fails with kInvalidArgument for another ending and with kIo when
// the file cannot be written.
Status save_plot(const PlotSpec& spec, const ThemeColors& colors, const QSize& size, const QString& file);

}  // namespace fuselab::gui
