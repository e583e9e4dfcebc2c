// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign, exp
// tanh x, at most 3 ulp: an odd polynomial up to 0.625, 1 - 2 / (e^2|x| + 1) beyond it.
static inline $F tanh_$N($F x) {
  const $F size = abs_$N(x);
  const $F z = x * x;
  $F p = splat_$N(6.485163482793113150e-6);
  p = p * z + -0.00003120110142579740003;
  p = p * z + 0.00009257116129556768271;
  p = p * z + -0.0002375906496055561955;
  p = p * z + 0.0005896606577757043347;
  p = p * z + -0.001455775412047805510;
  p = p * z + 0.003592121751154962269;
  p = p * z + -0.008863235103240877925;
  p = p * z + 0.02186948851900830576;
  p = p * z + -0.05396825396789699169;
  p = p * z + 0.1333333333333304160;
  p = p * z + -0.3333333333333333294;
  const $F near = x + x * z * p;
  const $F far = 1.0 - 2.0 / (exp_$N(size + size) + 1.0);
  return select_$N(size < 0.625, near, copysign_$N(far, x));
}
