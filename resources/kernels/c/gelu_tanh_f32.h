// SPDX-License-Identifier: Apache-2.0
// needs: vector, sigmoid
// The tanh form of GELU, 0.5·x·(1 + tanh u), written as x·sigmoid(2u): the same value without the cancellation.
static inline $F gelu_tanh_$N($F x) {
  const $F u = 1.5957691216f * (x + 0.044715000000f * x * x * x);
  return x * sigmoid_$N(u);
}
