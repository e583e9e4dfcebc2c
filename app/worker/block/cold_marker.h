// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "app/worker/block/cache_lines.h"
#include "core/measure/cold_state.h"

namespace fuselab::worker {

// Lines of memory that are read before and after the caches are emptied: what is left of them in the caches is left of a kernel's
// operands, too. They are read one after the other, each from a page of its own, so that no prefetcher helps. Takes some µs each
// time, less than the threads of a pool wait for their next launch before they go to sleep. Needs can_empty_caches(). One thread.
class ColdMarker {
 public:
  ColdMarker();
  ColdMarker(const ColdMarker&) = delete;
  ColdMarker& operator=(const ColdMarker&) = delete;

  // Reads the lines of this turn from memory, and again from the caches, which hold them then as they hold what was just used.
  void mark();
  // Reads them once more: to be called when the caches have been emptied.
  void look();
  // Empties them by address: what look() finds after a perfect emptying.
  void empty() const;

  // One for each look().
  const std::vector<ColdRead>& reads() const { return reads_; }

 private:
  struct alignas(kCacheLine) Line {
    const Line* next = nullptr;  // of its turn; the last one's is the first
  };
  static constexpr std::size_t kLines = 64;  // of a page
  struct alignas(4096) Page {
    std::array<Line, kLines> lines;
  };
  static constexpr std::size_t kPages = 32;  // so many lines are read at a time
  static constexpr std::size_t kTurns = 16;  // until the same lines are read again

  double time_lines() const;
  void open_pages() const;

  std::vector<Page> pages_;
  std::array<std::vector<const Line*>, kTurns> turns_;
  std::size_t turn_ = 0;
  ColdRead now_;
  std::vector<ColdRead> reads_;
};

}  // namespace fuselab::worker
