// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, exp
// e^(x²)·erfc x for x ≥ 0.5: Q(t) / (1 + 2x) with t = (x - 3) / (x + 3).
static inline $F scaled_erfc_$N($F x) {
  x = select_$N(x > 10.1f, splat_$N(10.1f), x);
  const $F t = (x - 3.0f) / (x + 3.0f);
  $F q = splat_$N(9.2542508253e-5f);
  q = q * t + -0.00010051358435f;
  q = q * t + -0.00075846095793f;
  q = q * t + 0.0018867891472f;
  q = q * t + 0.0025227211895f;
  q = q * t + -0.023770089829f;
  q = q * t + 0.068309028435f;
  q = q * t + -0.11927371434f;
  q = q * t + 0.12964509483f;
  q = q * t + -0.047562291849f;
  q = q * t + -0.13562110497f;
  q = q * t + 1.2530080582f;
  return q / (1.0f + 2.0f * x);
}
// e^(-scale·x²). x² is split, because rounding it would cost as many ulp as x² is large.
static inline $F bell_$N($F x, $S scale) {
  const $F most = splat_$N(15.0f);
  x = select_$N(abs_$N(x) > most, most, x);
  const $F head = ($F)(($I)x & ~0xfff);
  const $F rest = (x - head) * (x + head);
  return exp_$N(-scale * (head * head)) * exp_$N(-scale * rest);
}
// erfc x for x ≥ 0.5, at most 4 ulp.
static inline $F erfc_tail_$N($F x) {
  return bell_$N(x, 1.0f) * scaled_erfc_$N(x);
}
