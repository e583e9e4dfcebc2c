// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::cpu {

// Working memory for each thread of a pool, shared by all kernels that are loaded on a device. Two kernels that are compared must
// not differ in the place of their scratch: when each had its own, one of two loads of one binary was up to 9 % slower than the
// other, process after process (resources/docs/results/comparing.md). One launch at a time.
class ThreadScratch {
 public:
  // Provides at least this much for each of this many threads, poisoned: a kernel that reads it before writing computes NaN.
  Status provide(int threads, Bytes each);

  // Poisons the provided memory again, since another kernel has worked in it.
  void poison(int threads, Bytes each) const;

  // Returns a thread's memory, 64-byte aligned; writing behind its last cache line faults. `size` must not exceed what was
  // provided.
  std::byte* of(int thread, Bytes size) const;

 private:
  std::vector<host::GuardedMemory> memory_;
};

}  // namespace fuselab::cpu
