// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// ln x, at most 2 ulp; -Inf for 0, NaN below 0 and for NaN, Inf for Inf; denormals are exact inputs.
// x = 2^k·(1 + f) with sqrt(1/2) ≤ 1 + f < sqrt 2; ln(1 + f) by the series of atanh in s = f / (2 + f).
static inline $F log_$N($F x) {
  const $I small = x < 2.2250738585072014e-308;
  const $F scaled = select_$N(small, x * 4503599627370496.0, x);
  const $I shifted = ($I)scaled - 0x3fe6a09e667f3bcdLL;
  const $I k = (shifted >> 52) - (small & 52);
  const $F f = ($F)((shifted & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL) - 1.0;
  const $F count = __builtin_convertvector(k, $F);
  const $F s = f / (2.0 + f);
  const $F z = s * s;
  $F p = splat_$N(0.1308662614784010214);
  p = p * z + 0.1326877313865688518;
  p = p * z + 0.1538623970281465819;
  p = p * z + 0.1818179564013290628;
  p = p * z + 0.2222222239171391744;
  p = p * z + 0.2857142857080361181;
  p = p * z + 0.4000000000000087698;
  p = p * z + 0.6666666666666666646;
  const $F half_square = 0.5 * f * f;
  $F result = count * 0.69314718055966295651 - ((half_square - (s * (half_square + z * p) + count * 2.823529056303157712e-13)) - f);
  result = select_$N(x == 0.0, splat_$N(-__builtin_inf()), result);
  result = select_$N(x < 0.0, splat_$N(__builtin_nan("")), result);
  return select_$N((x != x) | (x == __builtin_inf()), x, result);
}
