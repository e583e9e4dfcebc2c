// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tuner/strategies/strategies.h"

namespace fuselab::tuner {
namespace {

class Exhaustive final : public SearchStrategy {
 public:
  Exhaustive(const ParameterSpace& space, const Starts& starts)
      : space_(space), first_(starts), next_(space_.next_valid(std::nullopt)) {}

  std::string_view id() const override { return "exhaustive"; }

  std::vector<LaunchConfig> ask(std::size_t count) override {
    std::vector<LaunchConfig> asked;
    for (; asked.size() < count && begun_ < first_.size(); ++begun_) asked.push_back(space_.at(first_[begun_]));
    for (; asked.size() < count && next_; next_ = space_.next_valid(next_)) {
      if (std::find(first_.begin(), first_.end(), *next_) == first_.end()) asked.push_back(space_.at(*next_));
    }
    return asked;
  }

  void tell(std::span<const Observation>) override {}
  bool exhausted() override { return begun_ == first_.size() && !next_; }

 private:
  ParameterSpace space_;
  Starts first_;
  std::optional<Positions> next_;
  std::size_t begun_ = 0;  // of the first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_exhaustive(const ParameterSpace& space, const Starts& starts, std::uint64_t) {
  return std::make_unique<Exhaustive>(space, starts);
}

}  // namespace fuselab::tuner
