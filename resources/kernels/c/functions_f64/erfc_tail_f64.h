// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, exp
// e^(x²)·erfc x for x ≥ 0.5: Q(t) / (1 + 2x) with t = (x - 4) / (x + 4).
static inline $F scaled_erfc_$N($F x) {
  x = select_$N(x > 27.3, splat_$N(27.3), x);
  const $F t = (x - 4.0) / (x + 4.0);
  $F q = splat_$N(-7.136775205235150686e-9);
  q = q * t + 7.384547107017899012e-8;
  q = q * t + 5.273492296927376282e-8;
  q = q * t + -7.809617441798015001e-7;
  q = q * t + 3.165877929521513759e-7;
  q = q * t + 5.678111378091326785e-6;
  q = q * t + -0.00001123594592345464898;
  q = q * t + -0.00002438519149120073667;
  q = q * t + 0.0001506269463848733276;
  q = q * t + -0.0001992606637369114678;
  q = q * t + -0.0007577745390543104274;
  q = q * t + 0.005031970687818957958;
  q = q * t + -0.01619773387623405302;
  q = q * t + 0.03716751546065464785;
  q = q * t + -0.06633036582737812481;
  q = q * t + 0.09373283500294903241;
  q = q * t + -0.1010390660356624735;
  q = q * t + 0.06809705425456565476;
  q = q * t + 0.01537965210260924149;
  q = q * t + -0.1396211168405614742;
  q = q * t + 1.232995118625552538;
  return q / (1.0 + 2.0 * x);
}
// e^(-scale·x²). x² is split, because rounding it would cost as many ulp as x² is large.
static inline $F bell_$N($F x, $S scale) {
  const $F most = splat_$N(40.0);
  x = select_$N(abs_$N(x) > most, most, x);
  const $F head = ($F)(($I)x & ~0x7ffffffLL);
  const $F rest = (x - head) * (x + head);
  return exp_$N(-scale * (head * head)) * exp_$N(-scale * rest);
}
// erfc x for x ≥ 0.5, at most 4 ulp.
static inline $F erfc_tail_$N($F x) {
  return bell_$N(x, 1.0) * scaled_erfc_$N(x);
}
