// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/ops/cost.h"

namespace fuselab {

// What a run keeps from the next one's cache, in bytes: what it must at least read. What it writes may pass the caches by
// (non-temporal or evict-first stores), and a part of a buffer that it does not touch is no operand. Where hardly anything is read,
// less than 1/16 of all, everything that it must move.
Bytes rotated_bytes(const Cost& cost);

// Several sets of the same buffers that successive runs use in turn, so many that none finds its operands in a cache: many runs lie
// between two readings of the clock, and each is as if the caches had been emptied. One cycle belongs to all plans that share the
// sets: what one plan's run left in a cache is not what the next plan's finds. Used by one thread.
class BufferCycle {
 public:
  static constexpr int kFewest = 2;
  static constexpr int kMost = 1024;  // more would be thousands of launches a turn, of kernels whose operands hardly matter
  static constexpr std::int64_t kCacheFactor = 2;  // together beyond this many times the last cache

  // For runs that each touch `touched` bytes on a device whose last caches hold `caches` together. kUnsupported, saying why, where
  // the caches are not known or the sets would be too many: such runs would be warm.
  static Result<BufferCycle> beyond(Bytes touched, Bytes caches);
  explicit BufferCycle(int sets = 1) : sets_(sets) {}

  int sets() const { return sets_; }
  // The next larger number of runs that can be timed at once: each set at most once, or whole turns.
  int fitting(int runs) const;
  // The set that the first of the next `runs` runs uses; those after it follow in order, the first set behind the last one.
  // `runs` is fitting.
  int take(int runs);

 private:
  int sets_;
  int next_ = 0;
};

}  // namespace fuselab
