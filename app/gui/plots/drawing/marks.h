// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPolygonF>

#include "app/gui/plots/drawing/plot_painter.h"

namespace fuselab::gui {

// Paints a marker of one of six shapes around a point.
void paint_marker(QPainter& painter, const QPointF& center, int shape, double radius);

// Returns whether a line has markers at its points, so that lines are told apart without their colours: one of few points.
bool has_markers(const Series& series);

void paint_cross(QPainter& painter, const QPointF& center, double radius);

// Draws one series. The work is bounded by the pixels, not by the points: lines are thinned to the extremes of each pixel column,
// and clouds of more than a few thousand points are set as pixels, each once.
void paint_series(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, std::size_t index, const PlotState& state,
                  const ThemeColors& colors);

// Writes the names of dots beside them, the first ones first, as far as they neither leave the frame nor meet another name.
void paint_names(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const ThemeColors& colors);

// Returns the first, lowest, highest and last point of every pixel column, in order. This saves work only where `line` is sorted by
// x; the drawn result is the same either way.
QPolygonF thin_to_columns(const QPolygonF& line);

}  // namespace fuselab::gui
