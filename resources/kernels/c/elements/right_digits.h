// SPDX-License-Identifier: Apache-2.0
// needs: vector
// A number of 32 bits is low + 65536 high, both of 16 bits with a sign, modulo 2^32. In each lane lie the digits of two rows of one
// column, zeros behind the last row and column. Returns all high digits or-ed.
static inline $F right_digits_$N(const void* from, int64_t at, int64_t pitch, int64_t depth, int64_t columns, int64_t width,
                                 void* low, void* high) {
  $F any = {0};
  for (int64_t k = 0; k < depth; k += 2) {
    for (int64_t col = 0; col < width; col += $L) {
      const int64_t left = columns - col, count = left <= 0 ? 0 : left < $L ? left : $L;
      $F rows[2] = {0};
      for (int64_t i = 0; i < 2 && k + i < depth; ++i) {
        const uint32_t* const row = (const uint32_t*)from + at + (k + i) * pitch + col;
        if (count == $L) {
          rows[i] = load_$N(row);
        } else {
          memcpy(&rows[i], row, (size_t)count * sizeof *row);
        }
      }
      const $F even = (rows[0] + 0x8000u) >> 16, odd = (rows[1] + 0x8000u) >> 16;
      const int64_t to = k / 2 * width + col;
      store_$N((uint32_t*)low + to, (rows[0] & 0xffff) | (rows[1] << 16));
      store_$N((uint32_t*)high + to, even | (odd << 16));
      any |= even | odd;
    }
  }
  return any;
}
