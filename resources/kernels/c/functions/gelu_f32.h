// SPDX-License-Identifier: Apache-2.0
// needs: vector, larger
// x·Φ(x), Φ the normal distribution, at most 8 ulp while Φ(x) is normal, which is down to -12.9, and 14 below: max(x, 0) + b·Φ(b)
// for b = -|x|, which cancels nowhere. Φ(b) = e^(-b²/2)·P(b) / Q(b), P / Q off by 6e-9 of itself at most; 0 from -15 on. P and Q
// begin with a power of b alone, their quotient's factor is in the other polynomial. b² is split, because rounding it would cost
// half as many ulp as it is large: b² = n·(-2·ln 2) + r, and e^(-r/2) is a polynomial off by 7e-9 at most. Its coefficients are
// 2^-64 times what they stand for, so that 2^(n + 64), which is normal, brings the product down to the last denormal. NaN for -Inf.
static inline $F gelu_$N($F x) {
  const $F b = larger_$N(splat_$N(-15.0f), ($F)(($I)x | ($I)(-($F){0})));
  const $F head = ($F)(($I)b & ~0xfff);
  const $F square = head * head;
  const $F shifted = square * -0.72134752044f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  const $F r = (b - head) * (b + head) + (n * 2.8572136406e-6f + (n * 1.38629150390625f + square));
  $F e = splat_$N(-4.42073510e-25f);
  e = e * r + 5.65527007e-24f;
  e = e * r + -5.63393288e-23f;
  e = e * r + 4.50557363e-22f;
  e = e * r + -2.70336417e-21f;
  e = e * r + 1.08134680e-20f;
  e = e * r + -2.16269360e-20f;
  $F p = b + -9.8432184714f;
  p = p * b + 44.2954821f;
  p = p * b + -105.76925898f;
  p = p * b + 120.38847392f;
  $F q = b + -9.8439116005f;
  q = q * b + 45.282121166f;
  q = q * b + -115.80143632f;
  q = q * b + 161.03511131f;
  q = q * b + -96.057134375f;
  const $F tail = e * p / q * ($F)((($I)shifted + (127 + 64)) << 23);
  return larger_$N(splat_$N(0.0f), x) + smaller_$N(b, x) * tail;
}
