// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/store/result_store.h"

namespace fuselab::testing {

// A made-up world of trials: the same seed gives the same rows, ids included.
struct SyntheticTrials {
  std::int64_t count = 1000;
  int pieces = 8;
  int devices = 3;
  int per_block = 8;
  double synthetic_share = 1.0;  // of the rows; the rest looks measured, so that default filters show it
  double timed_share = 0.8;
  std::uint64_t seed = 1;
};

// What the trials refer to: one run, pieces, devices, environments (one a device) and two metrics.
StoreBatch synthetic_basis(const SyntheticTrials& spec);
// Trial `index` of the world.
TrialRecord synthetic_trial(const SyntheticTrials& spec, std::int64_t index);
// Gives the trial samples with this median, and what follows from them; 0: none.
void set_median(TrialRecord& trial, double median_ns);
// Commits the basis and all trials, a few thousand at a time.
Status fill_with_synthetic_trials(ResultStore& store, const SyntheticTrials& spec);

// A kernel as a generator and a compiler would make it; another `number`, another kernel. `binary_bytes` of seeded noise.
CompiledKernel synthetic_kernel(int number, std::size_t binary_bytes = 256);

}  // namespace fuselab::testing
