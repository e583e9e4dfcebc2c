// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, exp
// erfc x for x ≥ 0.9, at most 4 ulp: e^(-x²)·Q(t) / (1 + 2x) with t = (x - 3) / (x + 3).
// x² is split, because rounding it would cost as many ulp as x² is large.
static inline $F erfc_tail_$N($F x) {
  x = select_$N(x > 10.1f, splat_$N(10.1f), x);
  const $F t = (x - 3.0f) / (x + 3.0f);
  $F q = splat_$N(-6.4993775562e-5f);
  q = q * t + -0.00068324971189f;
  q = q * t + 0.0018615398476f;
  q = q * t + 0.0025004357701f;
  q = q * t + -0.023763897539f;
  q = q * t + 0.068311925480f;
  q = q * t + -0.11927432071f;
  q = q * t + 0.12964494048f;
  q = q * t + -0.047562271772f;
  q = q * t + -0.13562110265f;
  q = q * t + 1.2530080581f;
  const $F head = ($F)(($I)x & ~0xfff);
  const $F rest = (x - head) * (x + head);
  return exp_$N(-(head * head)) * exp_$N(-rest) * q / (1.0f + 2.0f * x);
}
