// SPDX-License-Identifier: Apache-2.0
// needs:
// Halves to the even neighbour.
template <typename C>
FL_DEVICE C fl_round(C x) {
  return fl_round_even(x);
}
template <typename C>
FL_DEVICE C fl_sign(C x) {
  return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;
}
template <typename C>
FL_DEVICE C fl_shrink(C x, C bias, C edge) {
  if (x < -edge) return x + bias;
  return x > edge ? x - bias : x == x ? C(0) : x;
}
template <typename C>
FL_DEVICE C fl_thresholded_relu(C x, C alpha) {
  return x <= alpha ? C(0) : x;
}
