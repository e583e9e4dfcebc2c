// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, erfc_tail
// erf x, at most 3 ulp: an odd polynomial up to 1, 1 - erfc |x| beyond it.
static inline $F erf_$N($F x) {
  const $F size = abs_$N(x);
  const $F z = x * x;
  $F p = splat_$N(7.8758750627e-5f);
  p = p * z + -0.00080168642872f;
  p = p * z + 0.0051890874234f;
  p = p * z + -0.026854212011f;
  p = p * z + 0.11283594715f;
  p = p * z + -0.37612626667f;
  p = p * z + 1.1283791658f;
  const $F far = copysign_$N(1.0f - erfc_tail_$N(size), x);
  return select_$N(size < 1.0f, x * p, far);
}
