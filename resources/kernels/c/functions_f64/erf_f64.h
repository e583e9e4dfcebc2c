// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, erfc_tail
// erf x, at most 3 ulp: an odd polynomial up to 1, 1 - erfc |x| beyond it.
static inline $F erf_$N($F x) {
  const $F size = abs_$N(x);
  const $F z = x * x;
  $F p = splat_$N(5.957176147748911404e-11);
  p = p * z + -1.137284885679167367e-9;
  p = p * z + 1.465977527404743581e-8;
  p = p * z + -1.635031270105469501e-7;
  p = p * z + 1.646100048412136803e-6;
  p = p * z + -0.00001492559526683118157;
  p = p * z + 0.0001205533111164271092;
  p = p * z + -0.0008548326980833789905;
  p = p * z + 0.005223977624818014467;
  p = p * z + -0.02686617064507679325;
  p = p * z + 0.1128379167095487867;
  p = p * z + -0.3761263890318374806;
  p = p * z + 1.128379167095512574;
  const $F far = copysign_$N(1.0 - erfc_tail_$N(size), x);
  return select_$N(size < 1.0, x * p, far);
}
