// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPoint>
#include <QRectF>
#include <QString>
#include <optional>

#include "app/gui/look/theme.h"
#include "app/gui/plots/drawing/plot_spec.h"

namespace fuselab::gui {

// One point of a plot by position.
struct PointRef {
  std::size_t series = 0, point = 0;
  bool operator==(const PointRef&) const = default;
};

// The places on the drawing area: the frame of the data and both axes.
struct PlotLayout {
  QRectF frame;
  AxisScale x, y;
};

// The state of looking at a plot, which is not part of the data.
struct PlotState {
  QString selected_key;
  std::optional<PointRef> hovered;
  bool focused = false;
};

// Computes the layout, with room for titles, legend and labels; the axes show all data.
PlotLayout layout_plot(const PlotSpec& spec, const QRectF& area, const QFont& font);
// Draws everything into any paint device: screen, picture or SVG. Keeps within `area`.
void paint_plot(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const PlotState& state,
                const ThemeColors& colors, const QRectF& area);

// Returns the place at which a point is drawn; bars of one category stand side by side.
QPointF position_of(const PlotSpec& spec, const PlotLayout& layout, PointRef ref);
QRectF bar_of(const PlotSpec& spec, const PlotLayout& layout, PointRef ref);
// Returns the nearest point within `reach` pixels, bars by their area.
std::optional<PointRef> point_at(const PlotSpec& spec, const PlotLayout& layout, const QPointF& position, double reach);

}  // namespace fuselab::gui
