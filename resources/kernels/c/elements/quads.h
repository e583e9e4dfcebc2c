// SPDX-License-Identifier: Apache-2.0
// needs: vector
// In each lane the bytes of `count` rows, the first lowest, each xor `flip`; where there are fewer than four rows the rest is 0.
static inline $F quads_$N(const void* from, int64_t at, int64_t pitch, int64_t count, int64_t flip) {
  $F made = {0};
  for (int64_t row = 0; row < count; ++row) {
    uint8_t raw[$L];
    memcpy(raw, (const char*)from + at + row * pitch, sizeof raw);
    $F wide;
    for (int i = 0; i < $L; ++i) wide[i] = raw[i];
    made |= (wide ^ (uint32_t)flip) << (uint32_t)(8 * row);
  }
  return made;
}
