// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fuselab {

// Durations are doubles in nanoseconds: a sample is a mean over inner repetitions, so fractions matter.
struct Nanoseconds {
  double count = 0;
  auto operator<=>(const Nanoseconds&) const = default;
  double seconds() const { return count * 1e-9; }
  double milliseconds() const { return count * 1e-6; }
  double microseconds() const { return count * 1e-3; }
};

struct Bytes {
  std::int64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
  double gigabytes() const { return static_cast<double>(count) * 1e-9; }
};

// These return text for people: "12.3 µs", "64 MiB", "34.5 GB/s", "231 GFLOP/s".
std::string format_duration(Nanoseconds duration);
std::string format_bytes(Bytes bytes);
std::string format_bandwidth(double bytes_per_second);
std::string format_flop_rate(double flops_per_second);

}  // namespace fuselab
