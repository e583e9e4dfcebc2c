// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Between one lane and C's own integers, which truths are, too.
static inline int64_t less_$N($F a, $F b) {
  return a[0] < b[0];
}
static inline int64_t no_more_$N($F a, $F b) {
  return a[0] <= b[0];
}
static inline int64_t equal_$N($F a, $F b) {
  return a[0] == b[0];
}
static inline $F choose_$N(int64_t condition, $F a, $F b) {
  return condition ? a : b;
}
static inline $F real_$N(int64_t x) {
  return ($F){($S)x};
}
// Towards 0; what does not fit is held at the ends, NaN is 0.
static inline int64_t whole_$N($F x) {
  if (x[0] != x[0]) return 0;
  if (x[0] >= 0x1p63) return INT64_MAX;
  return x[0] <= -0x1p63 ? INT64_MIN : (int64_t)x[0];
}
// The same of a number that rounding may have carried past a whole one.
static inline int64_t nearly_whole_$N($F x) {
  const int64_t below = whole_$N(x);
  const $S rest = x[0] - ($S)below, reach = ($S)1e-9 * (x[0] < 0 ? -x[0] : x[0]);
  if (rest > 0 && 1 - rest <= reach) return below + 1;
  return rest < 0 && 1 + rest <= reach ? below - 1 : below;
}
// Whether x takes the place of the best so far; NaN is more, and less, than all numbers.
static inline int64_t beats_$N($F x, $F best) {
  return (x[0] > best[0]) | ((x[0] != x[0]) & (best[0] == best[0]));
}
static inline int64_t beats_or_equals_$N($F x, $F best) {
  return (x[0] >= best[0]) | (x[0] != x[0]);
}
static inline int64_t beats_below_$N($F x, $F best) {
  return (x[0] < best[0]) | ((x[0] != x[0]) & (best[0] == best[0]));
}
static inline int64_t beats_below_or_equals_$N($F x, $F best) {
  return (x[0] <= best[0]) | (x[0] != x[0]);
}
