// SPDX-License-Identifier: Apache-2.0
// needs: vector
// $L rows of $L elements become columns. Each stage interleaves every row of the upper half with its partner of the lower half;
// after log2 $L of them row and column have changed places.
static inline void transpose_$N($S* restrict to, int64_t to_stride, const $S* restrict from, int64_t from_stride) {
  $F rows[$L], mixed[$L];
  for (int i = 0; i < $L; ++i) rows[i] = load_$N(from + i * from_stride);
  for (int stage = 1; stage < $L; stage *= 2) {
    for (int i = 0; i < $L / 2; ++i) {
#if defined(__clang__)
      mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + $L / 2], $low);
      mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + $L / 2], $high);
#else
      mixed[2 * i] = __builtin_shuffle(rows[i], rows[i + $L / 2], ($I){$low});
      mixed[2 * i + 1] = __builtin_shuffle(rows[i], rows[i + $L / 2], ($I){$high});
#endif
    }
    for (int i = 0; i < $L; ++i) rows[i] = mixed[i];
  }
  for (int i = 0; i < $L; ++i) store_$N(to + i * to_stride, rows[i]);
}
