// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/plot_spec.h"

#include <algorithm>
#include <cmath>

namespace fuselab::gui {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value, Scale scale) {
    if (!std::isfinite(value) || (scale == Scale::kLog && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

AxisScale with_margin(const PlotAxis& axis, Range range, bool from_zero, double pixel_low, double pixel_high) {
  if (range.empty()) range = axis.scale == Scale::kLog ? Range{1, 10} : Range{0, 1};
  if (axis.scale == Scale::kLog) {
    const double room = std::max(0.04, (std::log10(range.high) - std::log10(range.low)) * 0.06);
    range.low = std::pow(10.0, std::log10(range.low) - room);
    range.high = std::pow(10.0, std::log10(range.high) + room);
  } else if (axis.scale == Scale::kLinear) {
    if (from_zero) range.low = std::min(range.low, 0.0);
    const double room = (range.high - range.low) * 0.05;
    range.high += room;
    if (range.low != 0) range.low -= room;
  }
  return {axis.scale, axis.low.value_or(range.low), axis.high.value_or(range.high), pixel_low, pixel_high};
}

}  // namespace

QString value_text(const PlotAxis& axis, double value) {
  if (axis.scale == Scale::kCategory) {
    const auto position = static_cast<qsizetype>(std::lround(value));
    return position >= 0 && position < axis.categories.size() ? axis.categories[position] : QString();
  }
  return axis.text ? axis.text(value) : QString::number(value, 'g', 6);
}

AxisScale fit_x(const PlotSpec& spec, double pixel_low, double pixel_high) {
  if (spec.x.scale == Scale::kCategory) {
    const double last = std::max<double>(0, static_cast<double>(spec.x.categories.size()) - 1);
    return {Scale::kCategory, -0.5, last + 0.5, pixel_low, pixel_high};
  }
  Range range;
  for (const Series& series : spec.series) {
    for (const PlotPoint& point : series.points) range.include(point.x, spec.x.scale);
  }
  return with_margin(spec.x, range, false, pixel_low, pixel_high);
}

AxisScale fit_y(const PlotSpec& spec, double pixel_low, double pixel_high) {
  Range range;
  bool bars = false;
  for (const Series& series : spec.series) {
    bars = bars || series.mark == Mark::kBars;
    for (const PlotPoint& point : series.points) {
      for (double value : {point.y, point.low, point.high}) range.include(value, spec.y.scale);
    }
  }
  // The length of a bar is its message, so it starts at zero.
  return with_margin(spec.y, range, bars, pixel_low, pixel_high);
}

bool is_empty(const PlotSpec& spec) {
  return std::all_of(spec.series.begin(), spec.series.end(), [](const Series& series) { return series.points.empty(); });
}

}  // namespace fuselab::gui
