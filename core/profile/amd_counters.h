// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/profile/counter_plan.h"

// How AMD's GPUs count the metrics of the vocabulary: the counters' names on each architecture, what follows from them, and the
// passes that all of them take. Source: counter_defs.yaml of rocprofiler-sdk 1.0, whose expressions these are.
namespace fuselab {

// What follows from the counters of a metric. kPerUnit is a sum for one compute unit, kCycleShare one of the cycles of all of them.
enum class AmdForm { kTime, kLargest, kSum, kPerUnit, kCycleShare, kShare };

struct AmdCounter {
  struct Term {
    std::string counter;
    double weight = 1;  // by which it enters a sum
  };
  std::string metric;  // of the vocabulary
  AmdForm form = AmdForm::kSum;
  std::vector<Term> terms;   // kShare: of the first, the second is the whole
  std::string text() const;  // "SQ_WAIT_ANY / SQ_WAVE_CYCLES"
};
// Returns them for a target ("gfx942") in the order in which passes are filled; empty where no architecture is known.
std::vector<AmdCounter> amd_counters(std::string_view target);

// One counter over a pass: its sum over all parts of the device, and the largest part.
struct AmdCount {
  double sum = 0, largest = 0;
};
using AmdCounts = std::map<std::string, AmdCount>;
// Returns a metric's value; nothing where a counter of it is missing, or where what it is a share of is 0. `device_ns`: of the
// kernels.
std::optional<double> amd_value(const AmdCounter& counter, const AmdCounts& counts, double device_ns, double compute_units);

struct AmdPlan {
  std::vector<std::vector<std::string>> passes;  // the counters of each
  CounterPlan metrics;
};
// Tells whether a device counts these together.
using CountersFit = std::function<Result<bool>(const std::vector<std::string>& counters)>;
// Packs all counters of a target into passes: each goes into the first that it fits. What a device does not count alone is refused
// with its metrics. Fails with kUnsupported for a target that is none of AMD's known ones, and as `fit` does.
Result<AmdPlan> amd_plan(std::string_view target, const CountersFit& fit);
// Returns the plan that the counters of each block allow, without a device; nothing for another target.
std::optional<AmdPlan> amd_plan_without_device(std::string_view target);

}  // namespace fuselab
