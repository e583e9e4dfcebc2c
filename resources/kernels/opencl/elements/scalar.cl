// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Between one lane and the language's own integers, which truths are, too.
static long less_$F($F a, $F b) {
  return a < b;
}
static long no_more_$F($F a, $F b) {
  return a <= b;
}
static long equal_$F($F a, $F b) {
  return a == b;
}
static $F choose_$F(long condition, $F a, $F b) {
  return condition ? a : b;
}
static $F real_$F(long x) {
  return ($F)x;
}
// Towards 0; what does not fit is held at the ends, NaN is 0.
static long whole_$F($F x) {
  if (x != x) return 0;
  if (x >= 0x1p63f) return LONG_MAX;
  return x <= -0x1p63f ? LONG_MIN : (long)x;
}
// The same of a number that rounding may have carried past a whole one.
static long nearly_whole_$F($F x) {
  const long below = whole_$F(x);
  const $F rest = x - ($F)below, reach = 1e-9f * fabs(x);
  if (rest > 0 && 1 - rest <= reach) return below + 1;
  return rest < 0 && 1 + rest <= reach ? below - 1 : below;
}
// Whether x takes the place of the best so far; NaN is more, and less, than all numbers.
static long beats_$F($F x, $F best) {
  return (x > best) | ((x != x) & (best == best));
}
static long beats_or_equals_$F($F x, $F best) {
  return (x >= best) | (x != x);
}
static long beats_below_$F($F x, $F best) {
  return (x < best) | ((x != x) & (best == best));
}
static long beats_below_or_equals_$F($F x, $F best) {
  return (x <= best) | (x != x);
}
