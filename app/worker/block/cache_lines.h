// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace fuselab::worker {

// What this processor's caches hold and move at a time, in bytes.
inline constexpr std::size_t kCacheLine = 64;

// Whether memory can be emptied from the caches of this processor by address.
bool can_empty_caches();
// Every line of it is in memory alone when this returns; nothing where that cannot be done.
void empty_from_caches(std::span<const std::byte> memory);

// The compiler must neither foresee a value nor leave out what makes it.
template <typename Value>
void keep(Value& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

}  // namespace fuselab::worker
