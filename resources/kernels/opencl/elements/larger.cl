// SPDX-License-Identifier: Apache-2.0
// needs: vector
// The larger and the smaller of two; b where either is a NaN or where they are equal.
static $F larger_$F($F a, $F b) {
  return a > b ? a : b;
}
static $F smaller_$F($F a, $F b) {
  return a < b ? a : b;
}
