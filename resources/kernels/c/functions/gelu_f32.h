// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, erfc_tail, copysign
// x·Φ(x), Φ the normal distribution, at most 8 ulp while the result is normal: no 1 + erf, which would cancel for x < 0.
static inline $F gelu_$N($F x) {
  const $F u = x * 0.70710678119f;
  const $F size = abs_$N(u);
  const $F z = u * u;
  $F p = splat_$N(7.8758750627e-5f);
  p = p * z + -0.00080168642872f;
  p = p * z + 0.0051890874234f;
  p = p * z + -0.026854212011f;
  p = p * z + 0.11283594715f;
  p = p * z + -0.37612626667f;
  p = p * z + 1.1283791658f;
  const $F tail = 0.5f * bell_$N(x, 0.5f) * scaled_erfc_$N(size);
  const $F far = select_$N(x < 0.0f, tail, 1.0f - tail);
  const $F result = x * select_$N(size < 0.5f, 0.5f + 0.5f * (u * p), far);
  return select_$N(x < -15.0f, x * 0.0f * select_$N(x == -__builtin_inff(), splat_$N(__builtin_nanf("")), splat_$N(1.0f)), result);
}
