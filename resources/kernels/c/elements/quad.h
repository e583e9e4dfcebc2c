// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Four bytes in every lane: `count` of them from memory, each xor `flip`, the rest 0.
static inline $F quad_$N(const void* from, int64_t at, int64_t count, int64_t flip) {
  uint32_t four = 0;
  memcpy(&four, (const char*)from + at, (size_t)count);
  return splat_$N(four ^ (uint32_t)flip * 0x1010101u);
}
