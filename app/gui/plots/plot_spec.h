// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "app/gui/plots/axis_scale.h"

namespace fuselab::gui {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

struct PlotPoint {
  double x = 0, y = 0;
  double low = kNoValue, high = kNoValue;  // interval of y, drawn as a whisker
  QString label;                           // for people: tooltip, table
  QString key;                             // for selection; points with equal keys are selected together
};

// Crosses have no value: they stand on the lower edge, where something was tried and gave no figure.
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
  std::function<QString(double)> text;  // how a value is put for people; plain digits when empty
  bool whole = false;                   // counts: no label between two whole numbers
  bool binary = false;                  // a log axis of bytes: labels at powers of two
};

// Everything that one plot shows: a value, made anew when the data changes. The same value gives the picture, the exports and
// the table behind the plot.
struct PlotSpec {
  QString title;
  PlotAxis x, y;
  std::vector<Series> series;
  QString empty_text;   // what to do so that there is something to see
  QString brief_title;  // where there is no room for the title; empty: its beginning
};

QString value_text(const PlotAxis& axis, double value);
// The axis scaled to the data (with a margin) or to its fixed ends, over the given pixels.
AxisScale fit_x(const PlotSpec& spec, double pixel_low, double pixel_high);
AxisScale fit_y(const PlotSpec& spec, double pixel_low, double pixel_high);
bool is_empty(const PlotSpec& spec);

}  // namespace fuselab::gui
