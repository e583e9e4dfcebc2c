// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/content_hash.h"
#include "core/base/units.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// Different modes are different metrics and are never mixed.
enum class CacheMode { kWarm, kCold, kRotating, kFirstLaunch };
inline constexpr CacheMode kCacheModes[] = {CacheMode::kWarm, CacheMode::kCold, CacheMode::kRotating, CacheMode::kFirstLaunch};
std::string_view name_of(CacheMode mode);  // "warm", "cold", "rotating", "first-launch"
Result<CacheMode> parse_cache_mode(std::string_view name);

// The settings by which one block of plans is measured.
struct Protocol {
  CacheMode mode = CacheMode::kWarm;
  int warmup = 3;                     // at least; continues until two in a row differ by < 5 %, at most 10 × this
  int samples = 15;                   // per plan, interleaved in seeded random order
  int most_samples = 120;             // limit where the median is not known to `precision` after `samples` (series_looks.h)
  double precision = 0.01;            // sufficient half-width of the interval of a plan's median, as a share of the median
  Nanoseconds min_sample{200'000};    // inner repetitions are raised until a sample lasts this long (warm and rotating)
  Nanoseconds budget{2'000'000'000};  // kernel time per plan; sampling stops when it is spent, but not below 5 samples
  double drop_factor = 1.5;           // a plan whose fastest of 3 runs is slower than this × the best is dropped; 0: never
  Nanoseconds best_before{0};         // best time of earlier blocks; the best is the lesser of this and the block's own; 0: none
  Nanoseconds launch_timeout{10'000'000'000};  // the engine kills the worker when one launch takes longer
  InputSpec inputs;
  std::uint64_t order_seed = 1;

  static constexpr int kVersion = 1;
};

// Identity of a metric: what is timed and how. Rows with different keys are never compared.
struct MetricIdentity {
  CacheMode mode = CacheMode::kWarm;
  std::string what = "plan";  // "plan": all launches of the plan back to back
  int threads = 0;            // 0: as the launch configuration says
  InputSpec inputs;
  int protocol_version = Protocol::kVersion;
  std::string detail;  // settings that change the number's meaning: samples, min_sample
  ContentHash key() const;
};
MetricIdentity metric_of(const Protocol& protocol);
// Returns the metric of a kernel that the user named: a figure to look at, which is never used for a piece or compared.
MetricIdentity metric_of_given_config(const Protocol& protocol);

// Identity of the environment of a measurement, sampled with the trials.
struct EnvironmentIdentity {
  std::string host;  // machine id, hashed
  std::string device_uuid;
  std::string driver;
  std::string cpu_model;
  std::string microcode;
  std::string os_kernel;
  std::string clock_policy;  // governor, boost
  std::string tool_version;
  ContentHash key() const;
};

}  // namespace fuselab
