// SPDX-License-Identifier: Apache-2.0
// needs:
// Between a real and plain integers, which truths are, too.
template <typename C>
FL_DEVICE long long fl_less(C a, C b) {
  return a < b;
}
template <typename C>
FL_DEVICE long long fl_no_more(C a, C b) {
  return a <= b;
}
template <typename C>
FL_DEVICE long long fl_equal(C a, C b) {
  return a == b;
}
template <typename C>
FL_DEVICE C fl_choose(long long condition, C a, C b) {
  return condition ? a : b;
}
// Towards 0; what does not fit is held at the ends, NaN is 0.
template <typename C>
FL_DEVICE long long fl_whole(C x) {
  if (x != x) return 0;
  if (x >= C(9223372036854775808.0)) return 0x7fffffffffffffffll;
  return x <= C(-9223372036854775808.0) ? -0x7fffffffffffffffll - 1 : static_cast<long long>(x);
}
// The same of a number that rounding may have carried past a whole one.
template <typename C>
FL_DEVICE long long fl_nearly_whole(C x) {
  const long long below = fl_whole(x);
  const C rest = x - static_cast<C>(below), reach = C(1e-9) * fl_abs(x);
  if (rest > C(0) && C(1) - rest <= reach) return below + 1;
  return rest < C(0) && C(1) + rest <= reach ? below - 1 : below;
}
// Whether x takes the place of the best so far; NaN is more, and less, than all numbers.
template <typename C>
FL_DEVICE long long fl_beats(C x, C best) {
  return (x > best) | ((x != x) & (best == best));
}
template <typename C>
FL_DEVICE long long fl_beats_or_equals(C x, C best) {
  return (x >= best) | (x != x);
}
template <typename C>
FL_DEVICE long long fl_beats_below(C x, C best) {
  return (x < best) | ((x != x) & (best == best));
}
template <typename C>
FL_DEVICE long long fl_beats_below_or_equals(C x, C best) {
  return (x <= best) | (x != x);
}
