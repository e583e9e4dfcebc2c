// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/cache_lines.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace fuselab::worker {

#if defined(__x86_64__)
bool can_empty_caches() {
  return true;
}

void empty_from_caches(std::span<const std::byte> memory) {
  for (std::size_t place = 0; place < memory.size(); place += kCacheLine) _mm_clflush(&memory[place]);
  _mm_mfence();
}
#else
bool can_empty_caches() {
  return false;
}

void empty_from_caches(std::span<const std::byte>) {}
#endif

}  // namespace fuselab::worker
