// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/axis_scale.h"

#include <algorithm>
#include <cmath>

namespace fuselab::gui {

double round_step(double span, int wanted) {
  const double raw = span / std::max(1, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

AxisScale::AxisScale(Scale scale, double low, double high, double pixel_low, double pixel_high)
    : scale_(scale), pixel_low_(pixel_low), pixel_high_(pixel_high) {
  low_ = to_linear(low);
  high_ = to_linear(high);
  if (!(high_ > low_)) {  // one value, or none: a range around it
    const double room = scale_ == Scale::kLog ? 0.5 : std::max(0.5, std::fabs(low_) * 0.1);
    low_ -= room;
    high_ = low_ + 2 * room;
  }
}

double AxisScale::to_linear(double value) const {
  return scale_ == Scale::kLog ? std::log10(std::max(value, 1e-300)) : value;
}

double AxisScale::from_linear(double linear) const {
  return scale_ == Scale::kLog ? std::pow(10.0, linear) : linear;
}

bool AxisScale::can_show(double value) const {
  return std::isfinite(value) && (scale_ != Scale::kLog || value > 0);
}

double AxisScale::to_pixel(double value) const {
  return pixel_low_ + (to_linear(value) - low_) / (high_ - low_) * (pixel_high_ - pixel_low_);
}

double AxisScale::to_value(double pixel) const {
  return from_linear(low_ + (pixel - pixel_low_) / (pixel_high_ - pixel_low_) * (high_ - low_));
}

AxisScale AxisScale::zoomed(double factor, double pixel) const {
  AxisScale result = *this;
  const double center = low_ + (pixel - pixel_low_) / (pixel_high_ - pixel_low_) * (high_ - low_);
  const double span = std::clamp((high_ - low_) * factor, 1e-9 * std::max(1.0, std::fabs(center)), 1e18);
  const double share = (center - low_) / (high_ - low_);
  result.low_ = center - share * span;
  result.high_ = result.low_ + span;
  return result;
}

AxisScale AxisScale::panned(double pixels) const {
  AxisScale result = *this;
  const double shift = pixels / (pixel_high_ - pixel_low_) * (high_ - low_);
  result.low_ -= shift;
  result.high_ -= shift;
  return result;
}

AxisScale AxisScale::with_range(double low, double high) const {
  return {scale_, low, high, pixel_low_, pixel_high_};
}

AxisScale AxisScale::with_pixels(double pixel_low, double pixel_high) const {
  AxisScale result = *this;
  result.pixel_low_ = pixel_low;
  result.pixel_high_ = pixel_high;
  return result;
}

std::vector<double> AxisScale::binary_ticks(int wanted) const {
  std::vector<double> values;
  const int first = static_cast<int>(std::ceil(std::log2(low()) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(high()) + 1e-9));
  const int stride = std::max(1, (last - first) / std::max(1, wanted) + 1);
  for (int power = first; power <= last; ++power) {
    if (power % stride == 0) values.push_back(std::exp2(power));
  }
  return values;
}

std::vector<double> AxisScale::ticks(int wanted, bool binary) const {
  std::vector<double> values;
  if (scale_ == Scale::kLog && binary) {
    values = binary_ticks(wanted);
    if (values.size() >= 2) return values;
    values.clear();
  }
  if (scale_ == Scale::kLog) {
    const int first = static_cast<int>(std::floor(low_));
    const int last = static_cast<int>(std::ceil(high_));
    const bool sparse = high_ - low_ < 2.2;
    for (int stride = std::max(1, (last - first) / std::max(1, wanted)); stride > 0; stride /= 2) {
      values.clear();
      for (int power = first; power <= last; power += stride) {
        for (double digit : {1.0, 2.0, 5.0}) {
          if (digit > 1 && !sparse) continue;
          const double linear = power + std::log10(digit);
          if (linear >= low_ - 1e-9 && linear <= high_ + 1e-9) values.push_back(std::pow(10.0, linear));
        }
      }
      if (values.size() >= 2) return values;
    }
    values.clear();  // less than an octave is visible: round numbers in value space
  }
  const double low_value = low(), high_value = high();
  // One label is no scale: where the round numbers miss the range, finer ones hit it.
  for (int finer = std::max(1, wanted); values.size() < 2 && finer <= 4 * std::max(1, wanted); finer *= 2) {
    const double round = round_step(high_value - low_value, finer);
    const double step = scale_ == Scale::kCategory ? std::max(1.0, round) : round;
    values.clear();
    // Adding zero makes a negative zero, which would be shown with its sign, a positive one.
    for (double index = std::ceil(low_value / step - 1e-9) + 0.0; index * step <= high_value + 1e-9 * step; ++index)
      values.push_back(index * step);
  }
  return values;
}

}  // namespace fuselab::gui
