// SPDX-License-Identifier: Apache-2.0
// needs: vector, sigmoid
// bound: 5 ulp for x ≥ 0. Below zero e^2u hands the rounding of its argument on: 5 + 2.5·|2u|·(1 - sigmoid 2u) ulp, which is
// bound: 94 ulp at x = -7 where the result is 1e-15, and in absolute terms never more than three ulp of x.
// The tanh form of GELU, 0.5·x·(1 + tanh u), written as x·sigmoid(2u): the same value without the cancellation.
static inline $F gelu_tanh_$N($F x) {
  const $F u = 1.595769121605730712 * (x + 0.04471500000000000000 * x * x * x);
  return x * sigmoid_$N(u);
}
