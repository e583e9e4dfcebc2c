// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fields/fields.h"

namespace fuselab {

// One level of the hierarchical roofline: the bytes of a launch over the bandwidth that streams of the same mix reach there.
struct RooflineLevel {
  std::string level;               // "L1", "L2", "L3", "memory"
  double bytes_per_second = 0;     // measured ceiling at a working set of this level
  double bytes = 0;                // moved through the level by one launch
  std::string source;              // of the bytes: "compulsory", "counted", "code"
  double ns = 0;                   // bytes / bytes_per_second
  double share = 0;                // ns / measured
  bool holds_working_set = false;  // the smallest level that the working set fits in
};

constexpr auto fields_of(const RooflineLevel*) {
  using fields::field;
  using Level = RooflineLevel;
  return fields::list<Level>(field("level", &Level::level), field("bytes_per_second", &Level::bytes_per_second),
                             field("bytes", &Level::bytes), field("source", &Level::source), field("ns", &Level::ns),
                             field("share", &Level::share), field("holds_working_set", &Level::holds_working_set));
}

// Where a plan stands between what was measured and what the device can do at most.
struct Standing {
  double flops = 0;  // the graph's, by convention (core/cost/cost.h)
  double compulsory_bytes = 0, working_set_bytes = 0;
  double peak_flops = 0;  // per second, measured
  double compute_ns = 0, compute_share = 0;
  double launch_ns = 0, launch_share = 0;  // of empty kernels on as many threads, once per step
  int steps = 1, threads = 1, device_threads = 1;
  std::string caches = "warm";  // as the time was measured: "warm", "cold", "rotating", "first-launch"
  std::vector<RooflineLevel> levels;
  std::string why_no_levels;
};

constexpr auto fields_of(const Standing*) {
  using fields::field;
  using S = Standing;
  return fields::list<S>(field("flops", &S::flops), field("compulsory_bytes", &S::compulsory_bytes),
                         field("working_set_bytes", &S::working_set_bytes), field("peak_flops", &S::peak_flops),
                         field("compute_ns", &S::compute_ns), field("compute_share", &S::compute_share),
                         field("launch_ns", &S::launch_ns), field("launch_share", &S::launch_share), field("steps", &S::steps),
                         field("threads", &S::threads), field("device_threads", &S::device_threads), field("caches", &S::caches),
                         field("levels", &S::levels), field("why_no_levels", &S::why_no_levels));
}

// The same piece at another size or on fewer threads, stored as no trial. Threads are measured in one block, each size in its own.
struct SweepPoint {
  std::string what;  // "rows=512"; "threads=1"
  double median_ns = 0, low_ns = 0, high_ns = 0;
  double bytes = 0, flops = 0;  // of the graph at this size
  int threads = 1;
  std::string level;   // that its working set fits in
  std::string reason;  // why it was not measured
};

constexpr auto fields_of(const SweepPoint*) {
  using fields::field;
  using P = SweepPoint;
  return fields::list<P>(field("what", &P::what), field("median_ns", &P::median_ns), field("low_ns", &P::low_ns),
                         field("high_ns", &P::high_ns), field("bytes", &P::bytes), field("flops", &P::flops),
                         field("threads", &P::threads), field("level", &P::level), field("reason", &P::reason));
}

struct Sweep {
  std::vector<SweepPoint> points;  // the first is the plan itself, measured again beside the others
  std::string why_not;
};

constexpr auto fields_of(const Sweep*) {
  using fields::field;
  return fields::list<Sweep>(field("points", &Sweep::points), field("why_not", &Sweep::why_not));
}

}  // namespace fuselab
