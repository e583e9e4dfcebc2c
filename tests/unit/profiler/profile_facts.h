// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "profiler/verdict/cache_levels.h"
#include "profiler/verdict/standing.h"
#include "profiler/verdict/verdict.h"

namespace fuselab::profile {

// A machine with 32 KiB, 512 KiB and 32 MiB of cache and ceilings that are easy to reckon with, and a plan on it.
struct ProfileFacts {
  explicit ProfileFacts(const std::string& text) : graph(parse_graph(text).value()), cost(cost_of(graph).value()) {
    target.limits = {{"l1_bytes", 32 << 10}, {"l2_bytes", 512 << 10}, {"l3_bytes", 32 << 20}};
    levels = cache_levels(target, threads);
    constexpr double kRates[] = {400e9, 200e9, 100e9, 20e9};
    for (std::size_t i = 0; i < levels.size(); ++i)
      ceilings.rows.push_back({"stream", 2, 1, false, levels[i].probe, 2, kRates[i], 0, 0});
    ceilings.rows.push_back({"flops", 0, 0, false, {0}, 2, 200e9, 0, 0});
    ceilings.rows.push_back({"launch", 0, 0, false, {0}, 2, 1e6, 0, 0});
  }

  Standing standing(double measured_ns) {
    measured = measured_ns;
    return last =
               standing_of({graph, cost, cost.ideal(), 2, 1, ceilings, levels, measured_ns, 1, threads, 2, &code, &counters, mode});
  }
  BoundVerdict verdict(double measured_ns) {
    standing(measured_ns);
    return judge({graph, cost, measured, last, code, counters, sweep, kernels});
  }
  LoopReport& add_loop() {
    LoopReport& loop = code.loops.emplace_back();
    loop.first = 0x1000;
    loop.last = 0x1040;
    loop.instructions = 20;
    loop.vector_instructions = 12;
    return loop;
  }
  // Counts one of a device's metrics.
  void count(const char* name, double value, const char* source = "test") {
    counters.metrics.push_back({name, value, "", source, 1, false});
  }
  void clock(double hertz) { counters.metrics.push_back({"frequency", hertz, "", "test", 1, false}); }

  Graph graph;
  Cost cost;
  int threads = 2;
  Target target;
  std::vector<CacheLevel> levels;
  CeilingTable ceilings;
  CodeReport code;
  CounterSet counters;
  std::vector<KernelReport> kernels;
  Sweep sweep;
  CacheMode mode = CacheMode::kWarm;
  double measured = 0;
  Standing last;
};

inline constexpr const char* kLargeSum = "graph(a: f32[4194304], b: f32[4194304]) { y = Add(a, b); return y }";  // 48 MiB: memory
inline constexpr const char* kSmallSum = "graph(a: f32[32768], b: f32[32768]) { y = Add(a, b); return y }";      // 384 KiB: L2
inline constexpr const char* kProduct = "graph(a: f32[256,256], b: f32[256,256]) { y = MatMul(a, b); return y }";

}  // namespace fuselab::profile
