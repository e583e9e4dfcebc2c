// SPDX-License-Identifier: Apache-2.0
// needs: vector, exp
// bound: 5 ulp. Below 1 sinh is its series; beyond, the half exponent keeps the squares from overflowing early.
static inline $F sinh_$N($F x) {
  const double size = __builtin_fabs(x[0]);
  if (size < 1) {
    const double z = size * size;
    double p = 1 + z * (1.0 / 342);
    p = 1 + z * (1.0 / 272) * p;
    p = 1 + z * (1.0 / 210) * p;
    p = 1 + z * (1.0 / 156) * p;
    p = 1 + z * (1.0 / 110) * p;
    p = 1 + z * (1.0 / 72) * p;
    p = 1 + z * (1.0 / 42) * p;
    p = 1 + z * (1.0 / 20) * p;
    return x + x * (z * (1.0 / 6) * p);
  }
  const double half = exp_$N(($F){0.5 * size})[0];
  const double result = (0.5 * half) * half - (0.5 / half) / half;
  return ($F){x[0] < 0 ? -result : result};
}
static inline $F cosh_$N($F x) {
  const double half = exp_$N(($F){0.5 * __builtin_fabs(x[0])})[0];
  return ($F){(0.5 * half) * half + (0.5 / half) / half};
}
