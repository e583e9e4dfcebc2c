// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/round_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fuselab {
namespace {

template <typename Value>
void shuffle(std::vector<Value>& values, SeededRandom& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

// 0, n-1, 1, n-2, 2, …: all differences between neighbours differ modulo n when n is even.
std::vector<std::size_t> zigzag(std::size_t count) {
  std::vector<std::size_t> row;
  for (std::size_t i = 0; i < count; ++i) row.push_back(i % 2 == 0 ? i / 2 : count - (i + 1) / 2);
  return row;
}

}  // namespace

const std::vector<std::size_t>& RoundOrder::next() {
  if (row_ == rows_.size()) draw_square();
  return rows_[row_++];
}

void RoundOrder::draw_square() {
  std::vector<std::size_t> names(count_);
  std::iota(names.begin(), names.end(), std::size_t{0});
  shuffle(names, random_);
  rows_.clear();
  row_ = 0;
  const std::vector<std::size_t> first = zigzag(count_);
  for (std::size_t shift = 0; shift < count_; ++shift) {
    std::vector<std::size_t> row;
    row.reserve(count_);
    for (const std::size_t place : first) row.push_back(names[(place + shift) % count_]);
    rows_.push_back(row);
    // With an odd count only a row and its mirror image balance who comes behind whom.
    if (count_ % 2 == 1 && count_ > 1) rows_.emplace_back(row.rbegin(), row.rend());
  }
  shuffle(rows_, random_);
}

}  // namespace fuselab
