// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/native/threads/thread_pool.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::cpu {

enum class Pages { kUsual, kHuge };  // kHuge: where the system grants them

// The arrays of one mix of streams, each touched by the thread that will stream it. Owns their memory.
class StreamArrays {
 public:
  // Together they take `footprint` bytes, in multiples of 64 elements each.
  static Result<StreamArrays> create(ThreadPool& pool, int reads, int writes, Bytes footprint, Pages pages);

  // Returns the elements [first, second) that are thread `thread`'s of `threads`.
  std::pair<std::size_t, std::size_t> part(int thread, int threads) const;
  const std::vector<float*>& reads() const { return reads_; }
  const std::vector<float*>& writes() const { return writes_; }
  double bytes() const { return static_cast<double>(elements_ * sizeof(float) * memory_.size()); }

 private:
  std::vector<host::GuardedMemory> memory_;
  std::vector<float*> reads_;
  std::vector<float*> writes_;
  std::size_t elements_ = 0;
};

}  // namespace fuselab::cpu
