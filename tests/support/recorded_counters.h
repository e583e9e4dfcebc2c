// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/host/counter_source.h"

namespace fuselab::test {

// The counters of another machine, read from a text, a line each:
//   threads 2                     threads that are counted
//   most 4                        general events that fit into one group
//   clock 3500000000              cycles a second, as a chain of additions would show; absent: cannot be timed
//   file PATH TEXT                a file of /proc or /sys
//   event NAME COUNT [SHARE]      counts a launch, and the share of the time during which it is counted (default 1)
//   refused                       every event is refused to this user
//   sample ADDRESS                of the sampled instruction pointer, in hexadecimal
class RecordedCounters final : public profile::CounterSource {
 public:
  explicit RecordedCounters(const std::filesystem::path& file);

  // Called by the test's launches: what is enabled counts.
  void launched(int times);

  Result<int> open(std::span<const profile::Event> group) override;
  Status enable(int group) override;
  Result<profile::GroupReading> disable(int group) override;
  void close(int group) override { groups_.erase(group); }
  Status start_sampling(double period_ns) override;
  Result<std::vector<profile::SampledAddress>> stop_sampling() override { return samples_; }
  std::optional<double> clock_rate() override { return clock_; }
  int threads() const override { return threads_; }
  std::optional<std::string> file(const std::string& path) override;

  int open_groups() const { return static_cast<int>(groups_.size()); }

 private:
  struct Counted {
    double count = 0, share = 1;
  };
  struct Group {
    std::vector<profile::Event> events;
    bool enabled = false;
    int launches = 0;
  };
  int threads_ = 1, most_ = 4;
  bool refused_ = false;
  std::optional<double> clock_;
  std::map<std::string, std::string> files_;
  std::map<std::string, Counted> events_;
  std::vector<profile::SampledAddress> samples_;
  std::map<int, Group> groups_;
  int next_ = 0;
};

}  // namespace fuselab::test
