// SPDX-License-Identifier: Apache-2.0
// needs: vector, sigmoid
// The tanh form of GELU, 0.5·x·(1 + tanh u), written as x·sigmoid(2u): the same value without the cancellation.
static inline $F gelu_tanh_$N($F x) {
  const $F u = 1.595769121605730712 * (x + 0.04471500000000000000 * x * x * x);
  return x * sigmoid_$N(u);
}
