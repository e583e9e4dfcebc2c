// SPDX-License-Identifier: Apache-2.0
// needs: vector
// A number of 32 bits is low + 65536 high, both of 16 bits with a sign, modulo 2^32. Writes the digits of a row's numbers two by
// two from element `to` on, and a zero behind an odd count. Returns `before` with the high digits or-ed to it.
typedef int16_t half_$N __attribute__((vector_size($B / 2)));
static inline $F left_digits_$N($F before, const void* from, int64_t at, int64_t count, void* low, void* high, int64_t to) {
  const uint32_t* const row = (const uint32_t*)from + at;
  int16_t *const lows = (int16_t*)low + 2 * to, *const highs = (int16_t*)high + 2 * to;
  int64_t k = 0;
  for (; k + $L <= count; k += $L) {
    const $F number = load_$N(row + k), top = (number + 0x8000u) >> 16;
    const half_$N two[2] = {__builtin_convertvector(number, half_$N), __builtin_convertvector(top, half_$N)};
    memcpy(lows + k, &two[0], sizeof two[0]);
    memcpy(highs + k, &two[1], sizeof two[1]);
    before |= top;
  }
  for (; k < count; ++k) {
    const uint32_t top = (row[k] + 0x8000u) >> 16;
    lows[k] = (int16_t)row[k];
    highs[k] = (int16_t)top;
    before |= top;
  }
  if (count % 2 != 0) lows[count] = highs[count] = 0;
  return before;
}
