// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, exp
// 1 / (1 + e^-x), at most 3 ulp over the whole range: e^-|x| never overflows and keeps small results exact.
static inline $F sigmoid_$N($F x) {
  const $F e = exp_$N(-abs_$N(x));
  return select_$N(x < 0.0, e, splat_$N(1.0)) / (1.0 + e);
}
