// SPDX-License-Identifier: Apache-2.0
#include "core/base/units.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace fuselab {
namespace {

// Three significant digits, as people compare: "1.82", "34.5", "231".
std::string three_digits(double value, const char* unit) {
  const double magnitude = std::fabs(value);
  const int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

struct Scale {
  double factor;
  const char* unit;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& largest_first) {
  for (const Scale& scale : largest_first) {
    if (std::fabs(value) >= scale.factor) return three_digits(value / scale.factor, scale.unit);
  }
  return three_digits(value / largest_first.back().factor, largest_first.back().unit);
}

}  // namespace

std::string format_duration(Nanoseconds duration) {
  return scaled(duration.count, std::array<Scale, 4>{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}});
}

std::string format_bytes(Bytes bytes) {
  if (bytes.count < 1024 && bytes.count > -1024) return std::to_string(bytes.count) + " B";
  return scaled(static_cast<double>(bytes.count),
                std::array<Scale, 4>{{{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}}});
}

std::string format_bandwidth(double bytes_per_second) {
  return scaled(bytes_per_second, std::array<Scale, 4>{{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}}});
}

std::string format_flop_rate(double flops_per_second) {
  return scaled(flops_per_second, std::array<Scale, 4>{{{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1e3, "kFLOP/s"}}});
}

}  // namespace fuselab
