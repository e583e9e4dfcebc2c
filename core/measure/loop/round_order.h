// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.h"

namespace fuselab {

// The order in which the variants of a block are timed, round by round: a square in which each variant occurs once in each place
// and comes equally often directly after each other one (Williams, Australian Journal of Scientific Research A 2, 1949), with its
// rows and the variants' names shuffled anew for each square. Two variants give AB BA or BA AB. It is seeded, so that stored
// samples tell their order.
class RoundOrder {
 public:
  // `count` >= 1 variants, numbered from 0.
  RoundOrder(std::size_t count, SeededRandom& random) : count_(count), random_(random) {}

  const std::vector<std::size_t>& next();
  std::size_t count() const { return count_; }

 private:
  void draw_square();

  std::size_t count_;
  SeededRandom& random_;
  std::vector<std::vector<std::size_t>> rows_;
  std::size_t row_ = 0;
};

}  // namespace fuselab
