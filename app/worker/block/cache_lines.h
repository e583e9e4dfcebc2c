// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace fuselab::worker {

// The number of bytes that this processor's caches hold and move at a time.
inline constexpr std::size_t kCacheLine = 64;

// Returns whether memory can be emptied from the caches of this processor by address.
bool can_empty_caches();
// Empties the memory from all caches, so that every line of it is in memory alone; does nothing where that is not possible.
void empty_from_caches(std::span<const std::byte> memory);

// Keeps the compiler from foreseeing the value and from leaving out the code that computes it.
template <typename Value>
void keep(Value& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

}  // namespace fuselab::worker
