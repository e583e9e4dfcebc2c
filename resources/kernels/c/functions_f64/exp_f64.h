// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// e^x, at most 2 ulp; correct to the last denormal, Inf above the range, NaN for NaN.
// x = n·ln 2 + r with |r| ≤ ln 2 / 2; e^r = 1 + r + r²·P(r); 2^n is applied in two halves, so that neither overflows.
static inline $F exp_$N($F x) {
  x = select_$N(x < -746.0, splat_$N(-746.0), x);
  x = select_$N(x > 710.0, splat_$N(710.0), x);
  const $F shifted = x * 1.4426950408889634074 + 6755399441055744.0;
  const $F n = shifted - 6755399441055744.0;
  const $I exponent = ($I)shifted - ($I)splat_$N(6755399441055744.0);
  const $F r = (x - n * 0.69314718055966295651) - n * 2.823529056303157712e-13;
  $F p = splat_$N(2.091467937658393510e-9);
  p = p * r + 2.510520637395701112e-8;
  p = p * r + 2.755727366134863622e-7;
  p = p * r + 2.755725542574643428e-6;
  p = p * r + 0.00002480158732553336382;
  p = p * r + 0.0001984126987480049198;
  p = p * r + 0.001388888888888375242;
  p = p * r + 0.008333333333326140884;
  p = p * r + 0.04166666666666666975;
  p = p * r + 0.1666666666666667099;
  p = p * r + 0.5000000000000000000;
  const $F power = 1.0 + (r + r * r * p);
  const $I half = exponent >> 1;
  const $F low = ($F)((half + 1023) << 52);
  const $F high = ($F)((exponent - half + 1023) << 52);
  return power * low * high;
}
