// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/random.h"
#include "core/stats/process_effect.h"

namespace fuselab {

// The scatter of measured times on a machine, for testing rules where the truth is known. Values are standard deviations of the
// logarithm of a time unless stated otherwise.
struct NoiseModel {
  std::string_view name;
  std::string_view what;
  double sample = 0;      // scatter of each sample
  double tail_share = 0;  // share of samples that are delayed
  double tail_mean = 0;   // mean of the delay, an exponentially distributed share of the sample's time
  double run = 0;         // shared by all that one comparison measures
  double process = 0;     // scatter of each side in each process: allocation, layout
};

// Returns the models: M1 is quiet; M2 is M1 with sessions and processes; M3 is a machine in a cloud.
std::span<const NoiseModel> noise_models();

// Draws the samples of fresh processes that measure two variants, the candidate slower by a known factor. Seeded.
class NoiseSource {
 public:
  NoiseSource(const NoiseModel& model, std::uint64_t seed);
  PairedSamples next_process(int rounds, double slowdown);

 private:
  double normal();
  double sample(double mean_log);

  NoiseModel model_;
  SeededRandom random_;
  double run_ = 0;
};

}  // namespace fuselab
