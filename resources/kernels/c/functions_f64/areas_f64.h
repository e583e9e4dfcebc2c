// SPDX-License-Identifier: Apache-2.0
// needs: vector, log
// bound: 6 ulp.
// log(1 + x): what is lost in the sum is won back in the quotient.
static inline double log_of_1_and_$N(double x) {
  const double sum = 1 + x;
  if (sum == 1 || sum - sum != 0) return sum == 1 ? x : log_$N(($F){sum})[0];
  return log_$N(($F){sum})[0] * (x / (sum - 1));
}
static inline $F asinh_$N($F x) {
  const double size = __builtin_fabs(x[0]);
  const double square = size * size;
  const double result = size > 0x1p28 ? log_$N(($F){size})[0] + 0.6931471805599453
                                      : log_of_1_and_$N(size + square / (1 + __builtin_sqrt(1 + square)));
  return ($F){x[0] < 0 ? -result : result};
}
static inline $F acosh_$N($F x) {
  const double above = x[0] - 1;
  if (above < 0) return ($F){__builtin_nan("")};
  if (x[0] > 0x1p28) return ($F){log_$N(x)[0] + 0.6931471805599453};
  return ($F){log_of_1_and_$N(above + __builtin_sqrt(above * (2 + above)))};
}
static inline $F atanh_$N($F x) {
  const double size = __builtin_fabs(x[0]);
  const double result = 0.5 * log_of_1_and_$N(2 * size / (1 - size));
  return ($F){x[0] < 0 ? -result : result};
}
