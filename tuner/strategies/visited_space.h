// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/base/random.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::tuner {

using Positions = std::vector<std::size_t>;

// A parameter space whose points are given out once. Every strategy is built on it. Single-threaded.
class VisitedSpace {
 public:
  VisitedSpace(ParameterSpace space, std::uint64_t seed);

  const ParameterSpace& space() const { return space_; }
  std::size_t axes() const { return space_.parameters().size(); }
  std::size_t size_of_axis(std::size_t axis) const { return space_.parameters()[axis].values.size(); }
  // Returns true when a larger position means a larger number, so that neighbours are similar.
  bool is_ordered(std::size_t axis) const;
  SeededRandom& random() { return random_; }

  bool is_visited(const Positions& positions) const { return visited_.count(key_of(positions)) > 0; }
  // Marks a valid point as taken; returns false when it is invalid or was taken before.
  bool take(const Positions& positions);
  // Takes one of the remaining points, uniformly at random; returns nothing when all are taken.
  std::optional<Positions> take_random();
  bool exhausted();

 private:
  std::uint64_t key_of(const Positions& positions) const;
  Positions positions_of(std::uint64_t key) const;
  void list_all();

  ParameterSpace space_;
  SeededRandom random_;
  std::unordered_set<std::uint64_t> visited_;
  bool listed_ = false;
  bool complete_ = false;               // the list holds every valid point
  std::vector<std::uint64_t> listing_;  // valid points not yet drawn
};

}  // namespace fuselab::tuner
