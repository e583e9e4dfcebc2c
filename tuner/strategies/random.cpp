// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategies/strategies.h"
#include "tuner/strategies/visited_space.h"

namespace fuselab::tuner {
namespace {

class Random final : public SearchStrategy {
 public:
  Random(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed)
      : points_(space, seed), start_(space.positions_of(start).value()) {}

  std::string_view id() const override { return "random"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    if (count > 0 && points_.take(start_)) asked.push_back(points_.space().at(start_));
    while (asked.size() < count) {
      const auto drawn = points_.take_random();
      if (!drawn) break;
      asked.push_back(points_.space().at(*drawn));
    }
    return asked;
  }

  void tell(std::span<const Told>) override {}
  bool exhausted() override { return points_.exhausted(); }

 private:
  VisitedSpace points_;
  Positions start_;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_random(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed) {
  return std::make_unique<Random>(space, start, seed);
}

}  // namespace fuselab::tuner
