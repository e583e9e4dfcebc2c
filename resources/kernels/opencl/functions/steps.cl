// SPDX-License-Identifier: Apache-2.0
// needs: vector
// One lane.
static $F floor_$F($F x) {
  return floor(x);
}
static $F ceil_$F($F x) {
  return ceil(x);
}
// Halves to the even neighbour.
static $F round_$F($F x) {
  return rint(x);
}
static $F sign_$F($F x) {
  return x > 0 ? ($F)1 : x < 0 ? ($F)-1 : x;
}
static $F shrink_$F($F x, $F bias, $F edge) {
  if (x < -edge) return x + bias;
  return x > edge ? x - bias : x == x ? ($F)0 : x;
}
static $F thresholded_relu_$F($F x, $F alpha) {
  return x <= alpha ? ($F)0 : x;
}
