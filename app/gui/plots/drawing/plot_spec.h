// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "app/gui/plots/drawing/axis_scale.h"

namespace fuselab::gui {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

struct PlotPoint {
  double x = 0, y = 0;
  double low = kNoValue, high = kNoValue;  // interval of y, drawn as a whisker
  QString label;                           // shown in tooltip and table
  QString key;                             // for selection; points with equal keys are selected together
  QString name = {};                       // written beside a dot where there is room
};

// Crosses have no value: they are drawn on the lower edge for an attempt that gave no figure.
enum class Mark { kPoints, kLine, kSteps, kBars, kCrosses };

// One named set of marks. Marker shape follows the colour index, so that colour is never the only difference.
struct Series {
  QString name;
  Mark mark = Mark::kPoints;
  int color = 0;  // index into ThemeColors::series
  std::vector<PlotPoint> points;
  bool dashed = false;
  bool in_legend = true;
};

struct PlotAxis {
  QString title;
  Scale scale = Scale::kLinear;
  QStringList categories;               // names of positions 0, 1, … on a category axis
  std::optional<double> low, high;      // fixed ends; the data's otherwise
  std::function<QString(double)> text;  // formats a value for display; plain digits when empty
  bool whole = false;                   // counts: no label between two whole numbers
  bool binary = false;                  // a log axis of bytes: labels at powers of two
};

// The whole content of one plot, as a value that is made again when the data changes. The picture, the exports and the table behind
// the plot are made from the same value.
struct PlotSpec {
  QString title;
  PlotAxis x, y;
  std::vector<Series> series;
  QString empty_text;   // says what to do so that there is something to see
  QString brief_title;  // used where the title does not fit; empty: the title's beginning
};

QString value_text(const PlotAxis& axis, double value);
// Return the axis scaled to the data (with a margin) or to its fixed ends, over the given pixels.
AxisScale fit_x(const PlotSpec& spec, double pixel_low, double pixel_high);
AxisScale fit_y(const PlotSpec& spec, double pixel_low, double pixel_high);
bool is_empty(const PlotSpec& spec);

}  // namespace fuselab::gui
