// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/cost/cost.h"

namespace fuselab {

// Returns the bytes that a run can find in a cache, which rotation must keep from the next run: those that it must at least read.
// Writes may bypass the caches (non-temporal or evict-first stores), and a part of a buffer that it does not touch does not count.
// When less than 1/16 of all bytes is read, returns all bytes that it must move.
Bytes rotated_bytes(const Cost& cost);

// Several sets of the same buffers that successive runs use in turn, so many that no run finds its operands in a cache. Many runs
// can then be timed between two readings of the clock, each as if the caches had been emptied. One cycle belongs to all plans that
// share the sets, so that no plan finds what another plan's run left in a cache. Used by one thread.
class BufferCycle {
 public:
  static constexpr int kFewest = 2;
  static constexpr int kMost = 1024;  // more sets would mean thousands of launches a turn, of kernels whose operands hardly matter
  static constexpr std::int64_t kCacheFactor = 2;  // all sets together exceed this many times the last cache

  // Makes a cycle for runs that each touch `touched` bytes on a device whose last caches hold `caches` together.
  // Fails with kUnsupported when the size of the caches is not known or too many sets would be needed: such runs would be warm.
  static Result<BufferCycle> beyond(Bytes touched, Bytes caches);
  explicit BufferCycle(int sets = 1) : sets_(sets) {}

  int sets() const { return sets_; }
  // Returns the least number of runs, not below `runs`, that can be timed at once: each set at most once, or whole turns.
  int fitting(int runs) const;
  // Returns the set for the first of the next `runs` runs; those after it use the following sets in order, the first set after the
  // last. `runs` must be a number that fitting() returns.
  int take(int runs);

 private:
  int sets_;
  int next_ = 0;
};

}  // namespace fuselab
