// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategies/strategies.h"

namespace fuselab::tuner {
namespace {

class Exhaustive final : public SearchStrategy {
 public:
  Exhaustive(const ParameterSpace& space, const LaunchConfig& start)
      : space_(space), start_(space.positions_of(start).value()), next_(space_.next_valid(std::nullopt)) {}

  std::string_view id() const override { return "exhaustive"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    if (!started_ && count > 0) {
      asked.push_back(space_.at(start_));
      started_ = true;
    }
    for (; asked.size() < count && next_; next_ = space_.next_valid(next_)) {
      if (*next_ != start_) asked.push_back(space_.at(*next_));
    }
    return asked;
  }

  void tell(std::span<const Told>) override {}
  bool exhausted() override { return started_ && !next_; }

 private:
  ParameterSpace space_;
  std::vector<std::size_t> start_;
  std::optional<std::vector<std::size_t>> next_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_exhaustive(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t) {
  return std::make_unique<Exhaustive>(space, start);
}

}  // namespace fuselab::tuner
