// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::cpu {

// Working memory for each thread of a pool, the same for every kernel that is loaded on a device. Two kernels that are held against
// each other must not differ by where it lies: with scratch of its own each, one of two loads of one binary was up to 9 % slower
// than the other, process after process (resources/docs/comparing.md). One launch at a time.
class ThreadScratch {
 public:
  // At least so much for each of so many threads, poisoned: a kernel that reads it before it wrote it computes NaN.
  Status provide(int threads, Bytes each);

  // What was provided, once more: another kernel has worked in it since.
  void poison(int threads, Bytes each) const;

  // A thread's, 64-byte aligned; what is written behind its last cache line faults. No more than was provided.
  std::byte* of(int thread, Bytes size) const;

 private:
  std::vector<host::GuardedMemory> memory_;
};

}  // namespace fuselab::cpu
