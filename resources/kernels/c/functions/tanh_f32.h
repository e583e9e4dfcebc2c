// SPDX-License-Identifier: Apache-2.0
// needs: vector, larger, copysign, exp
// tanh x, at most 3 ulp: t = e^-2|x| - 1 without cancellation, and tanh |x| = -t / (2 + t).
// -2|x| = n·ln 2 + r; e^r - 1 = r + r²·P(r), P off by 1.4e-8 of e^r - 1 at most. Where n is not 0, t is far from 0 and needs no
// more than one constant for ln 2; where it is, r is -2|x| itself. Beyond 10, tanh is 1.
static inline $F tanh_$N($F x) {
  const $F fall = larger_$N(splat_$N(-20.0f), -2.0f * abs_$N(x));
  const $F shifted = fall * 1.44269504089f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  const $F r = fall - n * 0.69314718056f;
  $F p = splat_$N(0.0013882497463f);
  p = p * r + 0.0083666467943f;
  p = p * r + 0.041667203919f;
  p = p * r + 0.16666542685f;
  p = p * r + 0.49999998133f;
  const $F power = ($F)((($I)shifted + 127) << 23);
  const $F t = power * (r + r * r * p) + (power - 1.0f);
  return copysign_$N(t / (2.0f + t), x);
}
