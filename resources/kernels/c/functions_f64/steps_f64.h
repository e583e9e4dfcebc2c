// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bound: exact. Numbers of 2^52 and more are whole, and NaN stays NaN.
static inline $F floor_$N($F x) {
  if (!(__builtin_fabs(x[0]) < 0x1p52)) return x;
  const double towards_0 = (double)(int64_t)x[0];
  return ($F){towards_0 > x[0] ? towards_0 - 1 : towards_0};
}
static inline $F ceil_$N($F x) {
  return -floor_$N(-x);
}
// Halves to the even neighbour.
static inline $F round_$N($F x) {
  if (!(__builtin_fabs(x[0]) < 0x1p51)) return x;
  return (x + 0x1.8p52) - 0x1.8p52;
}
static inline $F sign_$N($F x) {
  return x[0] > 0 ? ($F){1} : (x[0] < 0 ? ($F){-1} : (x[0] == 0 ? ($F){0} : x));
}
static inline $F shrink_$N($F x, $F bias, $F edge) {
  if (x[0] < -edge[0]) return x + bias;
  return x[0] > edge[0] ? x - bias : (x[0] == x[0] ? ($F){0} : x);
}
static inline $F thresholded_relu_$N($F x, $F alpha) {
  return x[0] <= alpha[0] ? ($F){0} : x;
}
