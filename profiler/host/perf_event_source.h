// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "core/platform/system/unique_fd.h"
#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// The counters of this machine's kernel, through perf_event_open.
class PerfEventSource final : public CounterSource {
 public:
  // Counts the threads that the process has now.
  PerfEventSource();
  ~PerfEventSource() override;

  Result<int> open(std::span<const Event> group) override;
  Status enable(int group) override;
  Result<GroupReading> disable(int group) override;
  void close(int group) override;
  Status start_sampling(double period_ns) override;
  Result<std::vector<SampledAddress>> stop_sampling() override;
  std::optional<double> clock_rate() override;
  int threads() const override { return static_cast<int>(threads_.size()); }
  std::optional<std::string> file(const std::string& path) override;

 private:
  struct Ring;
  std::vector<int> threads_;
  std::map<int, std::vector<std::vector<platform::UniqueFd>>> groups_;  // [thread][event], the leader first
  std::vector<std::unique_ptr<Ring>> rings_;
  int next_ = 0;
};

}  // namespace fuselab::profile
