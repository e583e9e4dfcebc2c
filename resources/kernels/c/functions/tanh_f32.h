// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, exp
// tanh x, at most 3 ulp: an odd polynomial up to 0.625, 1 - 2 / (e^2|x| + 1) beyond it.
static inline $F tanh_$N($F x) {
  const $F size = abs_$N(x);
  const $F z = x * x;
  $F p = splat_$N(0.0022927448162f);
  p = p * z + -0.0083439455158f;
  p = p * z + 0.021768918651f;
  p = p * z + -0.053959259577f;
  p = p * z + 0.13333303557f;
  p = p * z + -0.33333333172f;
  const $F near = x + x * z * p;
  const $F far = 1.0f - 2.0f / (exp_$N(size + size) + 1.0f);
  return select_$N(size < 0.625f, near, copysign_$N(far, x));
}
