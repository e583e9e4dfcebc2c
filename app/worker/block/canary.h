// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/measure/conditions.h"

namespace fuselab::worker {

// Does a small fixed piece of work now and then between timed launches, on the thread that launches, and times it: some µs of
// multiply-adds, and where it is asked to, a read of memory that no cache holds. One thread.
class Canary {
 public:
  // `reads`: how often memory may be read, at most kMostReads times; 0: never. Each time another part, which was emptied from the
  // caches beforehand; the parts are allocated here.
  explicit Canary(int reads);

  void sing();
  CanaryTimes take_times() { return std::move(times_); }

  static constexpr std::size_t kReadBytes = std::size_t{128} << 10;  // at a time
  static constexpr int kMostReads = 128;                             // of one canary: 16 MiB
  // Whether memory can be emptied from the caches of this processor by address.
  static bool can_read_memory();

 private:
  void compute();
  void read_next();

  std::vector<std::uint64_t> memory_;
  std::size_t next_ = 0;  // the word to begin the next read with
  double sum_ = 1;
  CanaryTimes times_;
};

}  // namespace fuselab::worker
