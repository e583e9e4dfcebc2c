// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategies/strategies.h"
#include "tuner/strategies/visited_space.h"

namespace fuselab::tuner {
namespace {

class Random final : public SearchStrategy {
 public:
  Random(const ParameterSpace& space, const Starts& starts, std::uint64_t seed) : points_(space, seed), first_(starts) {
    for (const Positions& each : first_) points_.take(each);
  }

  std::string_view id() const override { return "random"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    for (; asked.size() < count && begun_ < first_.size(); ++begun_) asked.push_back(points_.space().at(first_[begun_]));
    while (asked.size() < count) {
      const auto drawn = points_.take_random();
      if (!drawn) break;
      asked.push_back(points_.space().at(*drawn));
    }
    return asked;
  }

  void tell(std::span<const Observation>) override {}
  bool exhausted() override { return begun_ == first_.size() && points_.exhausted(); }

 private:
  VisitedSpace points_;
  Starts first_;
  std::size_t begun_ = 0;  // of those
};

}  // namespace

std::unique_ptr<SearchStrategy> make_random(const ParameterSpace& space, const Starts& starts, std::uint64_t seed) {
  return std::make_unique<Random>(space, starts, seed);
}

}  // namespace fuselab::tuner
