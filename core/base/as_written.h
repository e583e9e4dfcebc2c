// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>

namespace fuselab {

// Returns the double that a person would write for this float: 1e-5 in a file of floats becomes 1e-5 and not 9.99999974737875e-06.
// Infinities and NaN are returned unchanged.
inline double as_written(float number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  double result = number;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

}  // namespace fuselab
