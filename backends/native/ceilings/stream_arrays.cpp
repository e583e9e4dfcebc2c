// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/stream_arrays.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace fuselab::cpu {
namespace {

constexpr std::int64_t kGranule = 64 * sizeof(float);
constexpr std::uintptr_t kPage = 4096;

// Only asks: where the system has no huge pages, the usual ones serve as well.
void ask_for_huge_pages(const host::GuardedMemory& memory) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data()) / kPage * kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

}  // namespace

Result<StreamArrays> StreamArrays::create(ThreadPool& pool, int reads, int writes, Bytes footprint, Pages pages) {
  StreamArrays arrays;
  const std::int64_t each = std::max(kGranule, footprint.count / (reads + writes) / kGranule * kGranule);
  arrays.elements_ = static_cast<std::size_t>(each) / sizeof(float);
  for (int i = 0; i < reads + writes; ++i) {
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({each}));
    if (pages == Pages::kHuge) ask_for_huge_pages(memory);
    (i < reads ? arrays.reads_ : arrays.writes_).push_back(reinterpret_cast<float*>(memory.data()));
    arrays.memory_.push_back(std::move(memory));
  }
  pool.run(pool.size(), [&](int thread) {
    const auto [begin, end] = arrays.part(thread, pool.size());
    for (float* array : arrays.reads_) std::fill(array + begin, array + end, 1.0F);
    for (float* array : arrays.writes_) std::fill(array + begin, array + end, 0.0F);
  });
  return arrays;
}

std::pair<std::size_t, std::size_t> StreamArrays::part(int thread, int threads) const {
  const std::size_t blocks = elements_ / 64;
  const auto at = [&](int t) { return blocks * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads) * 64; };
  return {at(thread), at(thread + 1)};
}

}  // namespace fuselab::cpu
