// SPDX-License-Identifier: Apache-2.0
// needs: vector
// ONNX Max and Min: a NaN on either side wins.
static $F max_$F($F a, $F b) {
  return (a > b) | (a != a) ? a : b;
}
static $F min_$F($F a, $F b) {
  return (a < b) | (a != a) ? a : b;
}
