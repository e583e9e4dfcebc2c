// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>

namespace fuselab {

// The double that a person would write for this float: 1e-5 in a file of floats is 1e-5 here and not 9.99999974737875e-06.
// Infinities and NaN stay what they are.
inline double as_written(float number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  double result = number;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

}  // namespace fuselab
