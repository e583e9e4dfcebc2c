// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F leaky_relu_$F($F x, $F alpha) {
  return x < ($F)(0) ? x * alpha : x;
}
