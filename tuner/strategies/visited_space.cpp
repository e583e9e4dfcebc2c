// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategies/visited_space.h"

#include <algorithm>

namespace fuselab::tuner {
namespace {

constexpr int kBlindDraws = 64;                 // rejection sampling first: it is uniform and needs no listing
constexpr std::size_t kListedAtMost = 1 << 20;  // 8 MiB of keys

}  // namespace

VisitedSpace::VisitedSpace(ParameterSpace space, std::uint64_t seed) : space_(std::move(space)), random_(seed) {}

bool VisitedSpace::is_ordered(std::size_t axis) const {
  const auto& values = space_.parameters()[axis].values;
  if (!std::holds_alternative<std::int64_t>(values.front())) return false;
  return std::is_sorted(values.begin(), values.end());
}

bool VisitedSpace::take(const Positions& positions) {
  return space_.holds_at(positions) && visited_.insert(key_of(positions)).second;
}

std::optional<Positions> VisitedSpace::take_random() {
  if (!listed_) {
    Positions positions(axes());
    for (int draw = 0; draw < kBlindDraws; ++draw) {
      for (std::size_t axis = 0; axis < positions.size(); ++axis) positions[axis] = random_.below(size_of_axis(axis));
      if (take(positions)) return positions;
    }
    list_all();
  }
  // Fisher-Yates, one draw at a time: swap with the last and drop.
  while (!listing_.empty()) {
    std::swap(listing_[random_.below(listing_.size())], listing_.back());
    const auto positions = positions_of(listing_.back());
    listing_.pop_back();
    if (take(positions)) return positions;
  }
  return std::nullopt;
}

bool VisitedSpace::exhausted() {
  if (!listed_) list_all();
  while (!listing_.empty() && visited_.count(listing_.back()) > 0) listing_.pop_back();
  return complete_ && listing_.empty();
}

void VisitedSpace::list_all() {
  listed_ = true;
  auto next = space_.next_valid(std::nullopt);
  for (; next && listing_.size() < kListedAtMost; next = space_.next_valid(next)) listing_.push_back(key_of(*next));
  complete_ = !next.has_value();
}

// Mixed radix; a space of more than 2^62 points does not fit, and nobody can tune it either.
std::uint64_t VisitedSpace::key_of(const Positions& positions) const {
  std::uint64_t key = 0;
  for (std::size_t axis = 0; axis < positions.size(); ++axis) key = key * size_of_axis(axis) + positions[axis];
  return key;
}

Positions VisitedSpace::positions_of(std::uint64_t key) const {
  Positions positions(axes());
  for (std::size_t axis = positions.size(); axis-- > 0;) {
    positions[axis] = key % size_of_axis(axis);
    key /= size_of_axis(axis);
  }
  return positions;
}

}  // namespace fuselab::tuner
