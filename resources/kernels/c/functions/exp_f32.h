// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// e^x, at most 2 ulp; correct to the last denormal, Inf above the range, NaN for NaN.
// x = n·ln 2 + r with |r| ≤ ln 2 / 2; e^r = 1 + r + r²·P(r); 2^n is applied in two halves, so that neither overflows.
static inline $F exp_$N($F x) {
  x = select_$N(x < -104.0f, splat_$N(-104.0f), x);
  x = select_$N(x > 89.0f, splat_$N(89.0f), x);
  const $F shifted = x * 1.44269504089f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  const $I exponent = ($I)shifted - ($I)splat_$N(12582912.0f);
  const $F r = (x - n * 0.693145751953125f) - n * 1.4286068203e-6f;
  $F p = splat_$N(0.00019890980870f);
  p = p * r + 0.0013933641032f;
  p = p * r + 0.0083333109344f;
  p = p * r + 0.041666465006f;
  p = p * r + 0.16666666682f;
  p = p * r + 0.50000000135f;
  const $F power = 1.0f + (r + r * r * p);
  const $I half = exponent >> 1;
  const $F low = ($F)((half + 127) << 23);
  const $F high = ($F)((exponent - half + 127) << 23);
  return power * low * high;
}
