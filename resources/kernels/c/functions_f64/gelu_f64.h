// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, erfc_tail, copysign
// x·Φ(x), Φ the normal distribution, at most 8 ulp while the result is normal: no 1 + erf, which would cancel for x < 0.
static inline $F gelu_$N($F x) {
  const $F u = x * 0.7071067811865475244;
  const $F size = abs_$N(u);
  const $F z = u * u;
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
  const $F tail = 0.5 * bell_$N(x, 0.5) * scaled_erfc_$N(size);
  const $F far = select_$N(x < 0.0, tail, 1.0 - tail);
  const $F result = x * select_$N(size < 0.5, 0.5 + 0.5 * (u * p), far);
  return select_$N(x < -40.0, x * 0.0 * select_$N(x == -__builtin_inf(), splat_$N(__builtin_nan("")), splat_$N(1.0)), result);
}
