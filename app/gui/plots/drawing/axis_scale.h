// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

namespace fuselab::gui {

// Returns the step of 1, 2 or 5 times a power of ten that gives at most `wanted` intervals.
double round_step(double span, int wanted);

enum class Scale { kLinear, kLog, kCategory };

// The visible part of one axis: values ↔ pixels. Category axes are linear over positions 0, 1, 2, …
// Pure arithmetic; pixel_low may lie beyond pixel_high (the vertical axis points up).
class AxisScale {
 public:
  AxisScale() = default;
  AxisScale(Scale scale, double low, double high, double pixel_low, double pixel_high);

  double to_pixel(double value) const;
  double to_value(double pixel) const;
  double low() const { return from_linear(low_); }
  double high() const { return from_linear(high_); }
  Scale scale() const { return scale_; }
  bool can_show(double value) const;  // finite, and positive on a log axis

  // Return the same pixels with another range: `factor` < 1 zooms in around `pixel`; pan moves by pixels.
  AxisScale zoomed(double factor, double pixel) const;
  AxisScale panned(double pixels) const;
  AxisScale with_range(double low, double high) const;
  AxisScale with_pixels(double pixel_low, double pixel_high) const;

  // Returns the values to label: about `wanted` round numbers; on a log axis powers of ten, with 2 and 5 between them when few fit.
  // With `binary`, a log axis is labelled at powers of two instead, for bytes.
  std::vector<double> ticks(int wanted, bool binary = false) const;

 private:
  std::vector<double> binary_ticks(int wanted) const;
  double to_linear(double value) const;
  double from_linear(double linear) const;

  Scale scale_ = Scale::kLinear;
  double low_ = 0, high_ = 1;  // in linear space: log10 on a log axis
  double pixel_low_ = 0, pixel_high_ = 1;
};

}  // namespace fuselab::gui
