// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// The larger and the smaller of two; b where either is a NaN or where they are equal.
static inline $F larger_$N($F a, $F b) {
  return select_$N(a > b, a, b);
}
static inline $F smaller_$N($F a, $F b) {
  return select_$N(a < b, a, b);
}
