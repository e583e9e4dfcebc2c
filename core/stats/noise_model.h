// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/random.h"
#include "core/stats/process_effect.h"

namespace fuselab {

// How measured times scatter on a machine, for trying rules where the truth is known. All are standard deviations of the
// logarithm of a time unless said.
struct NoiseModel {
  std::string_view name;
  std::string_view what;
  double sample = 0;      // of each sample
  double tail_share = 0;  // of samples that something held up,
  double tail_mean = 0;   // by an exponentially distributed share of their time with this mean
  double engine = 0;      // shared by all that one comparison measures
  double process = 0;     // of each side in each process: allocation, layout
};

// M1: quiet; M2: M1 with sessions and processes; M3: a cloud's machine.
std::span<const NoiseModel> noise_models();

// Draws what fresh processes would have measured of two variants, the candidate slower by a known factor. Seeded.
class NoiseSource {
 public:
  NoiseSource(const NoiseModel& model, std::uint64_t seed);
  PairedSamples next_process(int rounds, double slowdown);

 private:
  double normal();
  double sample(double mean_log);

  NoiseModel model_;
  SeededRandom random_;
  double engine_ = 0;
};

}  // namespace fuselab
