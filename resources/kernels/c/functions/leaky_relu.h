// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
static inline $F leaky_relu_$N($F x, $F alpha) {
  return select_$N(x < 0, x * alpha, x);
}
