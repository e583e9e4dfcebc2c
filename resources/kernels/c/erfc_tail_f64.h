// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, exp
// erfc x for x ≥ 0.9, at most 4 ulp: e^(-x²)·Q(t) / (1 + 2x) with t = (x - 4) / (x + 4).
// x² is split, because rounding it would cost as many ulp as x² is large.
static inline $F erfc_tail_$N($F x) {
  x = select_$N(x > 27.3, splat_$N(27.3), x);
  const $F t = (x - 4.0) / (x + 4.0);
  $F q = splat_$N(5.813195958437856057e-8);
  q = q * t + 4.905573035733257908e-8;
  q = q * t + -7.523590428064373189e-7;
  q = q * t + 3.086789003328083795e-7;
  q = q * t + 5.656586879718898871e-6;
  q = q * t + -0.00001122580916861582214;
  q = q * t + -0.00002437657966236058287;
  q = q * t + 0.0001506217953990682010;
  q = q * t + -0.0001992626189790370258;
  q = q * t + -0.0007577731335022162519;
  q = q * t + 0.005031970934624940369;
  q = q * t + -0.01619773409386376169;
  q = q * t + 0.03716751544542312296;
  q = q * t + -0.06633036580880890687;
  q = q * t + 0.09373283500320113201;
  q = q * t + -0.1010390660364452978;
  q = q * t + 0.06809705425457548277;
  q = q * t + 0.01537965210262178457;
  q = q * t + -0.1396211168405616781;
  q = q * t + 1.232995118625552505;
  const $F head = ($F)(($I)x & ~0x7ffffffLL);
  const $F rest = (x - head) * (x + head);
  return exp_$N(-(head * head)) * exp_$N(-rest) * q / (1.0 + 2.0 * x);
}
