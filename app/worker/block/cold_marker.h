// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "app/worker/block/cache_lines.h"
#include "core/measure/cold_state.h"

namespace fuselab::worker {

// Lines of memory that are read before and after the caches are emptied. If some of them stay in the caches, so does some of a
// kernel's operands. They are read one after the other, each from a page of its own, so that no prefetcher helps. Each read of the
// lines takes some µs, less than the time after which a pool's idle threads go to sleep. Needs can_empty_caches(). Used by one
// thread.
class ColdMarker {
 public:
  ColdMarker();
  ColdMarker(const ColdMarker&) = delete;
  ColdMarker& operator=(const ColdMarker&) = delete;

  // Reads the lines of this turn from memory, and again from the caches, which then hold them as they hold recently used data.
  void mark();
  // Reads the lines once more; call it after the caches have been emptied.
  void look();
  // Empties the lines by address, so that look() finds a perfect emptying.
  void empty() const;

  // Returns one entry for each look().
  const std::vector<ColdRead>& reads() const { return reads_; }

 private:
  struct alignas(kCacheLine) Line {
    const Line* next = nullptr;  // in the same turn; the last one's is the first
  };
  static constexpr std::size_t kLines = 64;  // per page
  struct alignas(4096) Page {
    std::array<Line, kLines> lines;
  };
  static constexpr std::size_t kPages = 32;  // number of lines read at a time
  static constexpr std::size_t kTurns = 16;  // number of turns until the same lines are read again

  double time_lines() const;
  void open_pages() const;

  std::vector<Page> pages_;
  std::array<std::vector<const Line*>, kTurns> turns_;
  std::size_t turn_ = 0;
  ColdRead now_;
  std::vector<ColdRead> reads_;
};

}  // namespace fuselab::worker
