// SPDX-License-Identifier: Apache-2.0
// needs: vector
// The sum of so many bytes, each xor `flip`, in every lane.
static inline $F row_of_bytes_$N(const void* from, int64_t at, int64_t count, int64_t flip) {
  const uint8_t* const bytes = (const uint8_t*)from + at;
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += bytes[i] ^ (uint32_t)flip;
  return splat_$N(sum);
}
