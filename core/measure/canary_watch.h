// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "core/measure/conditions.h"

namespace fuselab {

// Judges blocks of one device by their canaries alone, never by what they timed: a block whose canary took much longer than in the
// best of the blocks before it was timed on a slower processor. The cause is not known (its clock, a neighbour on the same core or
// on the same memory): the counters of steal and of switches show none of these. The best is a recent one, so a machine that stays
// slower becomes the norm after kRemembered blocks. Used by one thread.
class CanaryWatch {
 public:
  // Returns what disturbed the block: "fixed arithmetic took 1.62 times as long as in the best of the last 20 blocks"; empty when
  // nothing did. Call it once per block, in order. A block without a canary is not judged.
  std::string judge(const CanaryTimes& times);

  // Chosen from the figures in resources/docs/results/comparing.md.
  static constexpr double kComputeBound = 1.25;  // multiple of the best
  static constexpr double kMemoryBound = 1.5;
  static constexpr std::size_t kRemembered = 20;

 private:
  // The medians of the latest blocks.
  struct Recent {
    std::deque<double> medians;
    // Stores the median of this block's times and returns its ratio to the best of the others; 1 for the first block.
    double slowdown(const std::vector<double>& times);
  };
  Recent compute_, memory_;
};

}  // namespace fuselab
