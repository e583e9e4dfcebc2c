// SPDX-License-Identifier: Apache-2.0
// needs: vector, larger, scale
// e^x, at most 2 ulp; correct to the last denormal, Inf above the range, NaN for NaN.
// x = n·ln 2 + r with |r| ≤ ln 2 / 2; e^r = 1 + r + r²·P(r), P off by 3e-9 of e^r at most.
static inline $F exp_near_$N($F r) {
  $F p = splat_$N(0.0013814320514f);
  p = p * r + 0.0083688510707f;
  p = p * r + 0.041668401085f;
  p = p * r + 0.16666519525f;
  p = p * r + 0.49999993374f;
  return 1.0f + (r + r * r * p);
}
static inline $F exp_$N($F x) {
  x = larger_$N(splat_$N(-104.0f), x);
  x = smaller_$N(splat_$N(89.0f), x);
  const $F shifted = x * 1.44269504089f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  return scale_$N(exp_near_$N((x - n * 0.693145751953125f) - n * 1.4286068203e-6f), shifted);
}
// The same for x ≤ 0.
static inline $F decay_$N($F x) {
  x = larger_$N(splat_$N(-104.0f), x);
  const $F shifted = x * 1.44269504089f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  return scale_down_$N(exp_near_$N((x - n * 0.693145751953125f) - n * 1.4286068203e-6f), shifted);
}
