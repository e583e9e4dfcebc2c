// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, larger, scale, copysign
// x·Φ(x), Φ the normal distribution, at most 8 ulp while Φ(x) is normal, which is down to -12.9, and 14 below: no 1 + erf, which
// would cancel for x < 0. Φ(-a) = e^(-a²/2)·P(a) / Q(a) for a = |x|, P / Q off by 6e-9 of itself at most; 0 from 15 on. P and Q
// begin with a power of a alone, their quotient's factor is in the other polynomial. a² is split, because rounding it would cost
// half as many ulp as it is large: a² = n·(-2·ln 2) + r, and e^(-r/2) is a polynomial off by 7e-9 at most.
static inline $F gelu_$N($F x) {
  const $F a = smaller_$N(splat_$N(15.0f), abs_$N(x));
  const $F head = ($F)(($I)a & ~0xfff);
  const $F square = head * head;
  const $F shifted = square * -0.72134752044f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  const $F r = (a - head) * (a + head) + (n * 2.8572136406e-6f + (n * 1.38629150390625f + square));
  $F e = splat_$N(8.1548168663e-06f);
  e = e * r + -0.00010432131956f;
  e = e * r + 0.0010392772314f;
  e = e * r + -0.0083113163956f;
  e = e * r + 0.049868267613f;
  e = e * r + -0.19947327982f;
  e = e * r + 0.39894655964f;
  $F p = a + 9.8432184714f;
  p = p * a + 44.2954821f;
  p = p * a + 105.76925898f;
  p = p * a + 120.38847392f;
  $F q = a + 9.8439116005f;
  q = q * a + 45.282121166f;
  q = q * a + 115.80143632f;
  q = q * a + 161.03511131f;
  q = q * a + 96.057134375f;
  const $F tail = scale_down_$N(e * p / q, shifted);
  return x * select_$N(x < 0.0f, tail, 1.0f - tail);
}
