// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/thread_scratch.h"

#include <cstring>
#include <utility>

namespace fuselab::cpu {

namespace {

Bytes whole_lines(Bytes size) {
  constexpr std::int64_t kLine = 64;
  return {(size.count + kLine - 1) / kLine * kLine};
}

}  // namespace

Status ThreadScratch::provide(int threads, Bytes each) {
  for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread) {
    if (thread == memory_.size() || memory_[thread].size() < static_cast<std::size_t>(each.count)) {
      FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create(whole_lines(each)));
      if (thread < memory_.size())
        memory_[thread] = std::move(memory);
      else
        memory_.push_back(std::move(memory));
    }
  }
  poison(threads, each);
  return {};
}

void ThreadScratch::poison(int threads, Bytes each) const {
  for (int thread = 0; thread < threads; ++thread) std::memset(of(thread, each), 0xFF, static_cast<std::size_t>(each.count));
}

std::byte* ThreadScratch::of(int thread, Bytes size) const {
  const host::GuardedMemory& memory = memory_[static_cast<std::size_t>(thread)];
  return memory.data() + memory.size() - whole_lines(size).count;
}

}  // namespace fuselab::cpu
