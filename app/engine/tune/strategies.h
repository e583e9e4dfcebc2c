// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// A way to make models faster, with the gain that was measured for it here (R157).
struct Strategy {
  std::string name;  // "fuse Attention", "level O3", "choose device and plan of each piece"
  std::string description;
  std::vector<std::string> levels;  // levels at which it was measured
  int measured = 0;                 // pieces, or models, that it was measured on; 0: nothing is known of its gain
  int losing = 0;                   // of them, those whose interval lies below 1 (a model has no interval: whose gain lies below 1)
  double gain = 1;                  // geometric mean, relative to what it replaces
  double least = 1, most = 1;
};

// The result of optimising a subject (R156).
struct OptimizationResult {
  bool success = false;  // every piece that runs was measured
  std::string model, binding, level;
  std::vector<std::string> applied;  // "fused 2 pieces as ResidualNorm: 1.43x"
  std::vector<std::string> warnings;
  // Nanoseconds: unfused_ns, fused_ns and ideal_ns of the fastest device; best_mix_ns; best_unfused_ns, every operator where it is
  // fastest. gain: best_unfused_ns / best_mix_ns.
  std::map<std::string, double> metrics;
};

// Returns the strategies in order of gain.
std::vector<Strategy> measured_strategies(const std::vector<CompareTable>& tables);
OptimizationResult optimization_result(const CompareTable& table);

}  // namespace fuselab::engine
