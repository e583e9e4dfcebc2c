// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::profile {

// An event of the kernel's performance interface, by the numbers that perf_event_open takes (perf_event_open(2)).
struct Event {
  std::string name;  // for people and for recordings: "instructions", "slots"
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

// The counts of a group since it was enabled, summed over the threads of the process.
struct GroupReading {
  std::vector<double> counts;  // in the order of the group's events
  // Time for which the group was enabled, and for which it was counted: less where the hardware's counters were shared out in
  // turns.
  double enabled_ns = 0, running_ns = 0;
};

// A sampled instruction address of this process.
using SampledAddress = std::uint64_t;

// The kernel's counters for all threads of this process, user mode alone. A port: tests play recordings of other machines. Used by
// one thread.
class CounterSource {
 public:
  virtual ~CounterSource() = default;

  // Opens events that are counted at the same time, or not at all. Returns the group's number. Fails with kUnsupported where the
  // machine has no such event or not enough counters for all of them, kUnavailable where the user may not count, and kIo
  // where the process may open no more files.
  virtual Result<int> open(std::span<const Event> group) = 0;
  // Counts from zero.
  virtual Status enable(int group) = 0;
  virtual Result<GroupReading> disable(int group) = 0;
  virtual void close(int group) = 0;

  // Begins to note the address of the running instruction of every thread, once a period of time that the thread ran. Fails as
  // open() does.
  virtual Status start_sampling(double period_ns) = 0;
  virtual Result<std::vector<SampledAddress>> stop_sampling() = 0;

  // Returns the cycles a second of the calling thread's processor now, where they can be timed without a counter.
  virtual std::optional<double> clock_rate() = 0;

  virtual int threads() const = 0;  // of the process, that open() counts
  // Returns a file of /proc or /sys; nothing where it is absent or may not be read.
  virtual std::optional<std::string> file(const std::string& path) = 0;
};

}  // namespace fuselab::profile
