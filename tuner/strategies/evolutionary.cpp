// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "tuner/strategies/strategies.h"
#include "tuner/strategies/visited_space.h"

namespace fuselab::tuner {
namespace {

constexpr std::size_t kPopulation = 12;
constexpr std::size_t kFounders = 8;  // random points, with the starts, before children are made
constexpr int kAttempts = 24;         // at a child that is valid and new, before a random point takes its place

struct Individual {
  Positions positions;
  double cost = 0;
};

class Evolutionary final : public SearchStrategy {
 public:
  Evolutionary(const ParameterSpace& space, const Starts& starts, std::uint64_t seed)
      : points_(space, seed), founders_(starts.begin(), starts.end()) {
    for (const Positions& each : founders_) points_.take(each);
    while (founders_.size() <= kFounders) {
      const auto drawn = points_.take_random();
      if (!drawn) break;
      founders_.push_back(*drawn);
    }
  }

  std::string_view id() const override { return "evolutionary"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    while (asked.size() < count) {
      const auto next = next_point();
      if (!next) break;
      asked.push_back(points_.space().at(*next));
    }
    return asked;
  }

  void tell(std::span<const Observation> results) override {
    for (const auto& told : results) {
      const auto positions = points_.space().positions_of(told.config);
      if (!positions) continue;
      points_.take(*positions);
      if (told.cost) population_.push_back({*positions, *told.cost});
    }
    std::stable_sort(population_.begin(), population_.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    if (population_.size() > kPopulation) population_.resize(kPopulation);
  }

  bool exhausted() override { return founders_.empty() && points_.exhausted(); }

 private:
  std::optional<Positions> next_point() {
    if (!founders_.empty()) {
      const auto founder = founders_.front();
      founders_.pop_front();
      return founder;
    }
    for (int attempt = 0; attempt < kAttempts && population_.size() >= 2; ++attempt) {
      auto child = mutated(crossed(winner(), winner()));
      if (points_.take(child)) return child;
    }
    return points_.take_random();
  }

  const Individual& winner() {
    const auto a = points_.random().below(population_.size());
    const auto b = points_.random().below(population_.size());
    return population_[std::min(a, b)];  // the population is sorted
  }

  Positions crossed(const Individual& a, const Individual& b) {
    Positions child = a.positions;
    for (std::size_t axis = 0; axis < child.size(); ++axis) {
      if (points_.random().below(2) == 0) child[axis] = b.positions[axis];
    }
    return child;
  }

  // Changes each axis with probability 1/axes, and at least one: mostly to a neighbour on an ordered axis, otherwise to any value.
  Positions mutated(Positions child) {
    if (child.empty()) return child;
    const std::size_t forced = points_.random().below(child.size());
    for (std::size_t axis = 0; axis < child.size(); ++axis) {
      if (axis != forced && points_.random().below(child.size()) != 0) continue;
      const std::size_t size = points_.size_of_axis(axis);
      if (points_.is_ordered(axis) && points_.random().below(10) < 7) {
        const std::size_t reach = 1 + points_.random().below(2);
        const bool up = points_.random().below(2) == 0;
        child[axis] = up ? std::min(child[axis] + reach, size - 1) : child[axis] - std::min(child[axis], reach);
      } else {
        child[axis] = points_.random().below(size);
      }
    }
    return child;
  }

  VisitedSpace points_;
  std::deque<Positions> founders_;
  std::vector<Individual> population_;  // best first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_evolutionary(const ParameterSpace& space, const Starts& starts, std::uint64_t seed) {
  return std::make_unique<Evolutionary>(space, starts, seed);
}

}  // namespace fuselab::tuner
