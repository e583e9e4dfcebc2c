// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// ONNX Max and Min: a NaN on either side wins.
static inline $F max_$N($F a, $F b) {
  return select_$N((a > b) | (a != a), a, b);
}
static inline $F min_$N($F a, $F b) {
  return select_$N((a < b) | (a != a), a, b);
}
