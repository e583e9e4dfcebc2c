// SPDX-License-Identifier: Apache-2.0
// needs: vector
// A NaN stays a NaN.
static $F relu_$F($F x) {
  return x < ($F)(0) ? ($F)(0) : x;
}
