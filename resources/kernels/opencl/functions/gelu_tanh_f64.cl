// SPDX-License-Identifier: Apache-2.0
// needs: vector, sigmoid
// The tanh form of GELU, 0.5·x·(1 + tanh u), written as x·sigmoid(2u): the same value without the cancellation.
static $F gelu_tanh_$F($F x) {
  return x * sigmoid_$F(1.5957691216057308 * (x + 0.044715 * x * x * x));
}
