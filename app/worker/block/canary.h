// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/measure/conditions.h"

namespace fuselab::worker {

// A canary: a small fixed piece of work, done and timed now and then between timed launches on the thread that launches. It takes
// some µs of multiply-adds and, where asked for, a read of memory that no cache holds. Used by one thread.
class Canary {
 public:
  // `reads`: how often memory may be read, at most kMostReads times; 0: never. Each read takes another part, which was emptied from
  // the caches beforehand; the parts are allocated here.
  explicit Canary(int reads);

  void sing();
  CanaryTimes take_times() { return std::move(times_); }

  static constexpr std::size_t kReadBytes = std::size_t{128} << 10;  // at a time
  static constexpr int kMostReads = 128;                             // for one canary: 16 MiB
  // Returns whether memory can be emptied from the caches of this processor by address.
  static bool can_read_memory();

 private:
  void compute();
  void read_next();

  std::vector<std::uint64_t> memory_;
  std::size_t next_ = 0;  // the word at which the next read begins
  double sum_ = 1;
  CanaryTimes times_;
};

}  // namespace fuselab::worker
