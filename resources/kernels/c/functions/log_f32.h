// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// ln x, at most 2 ulp; -Inf for 0, NaN below 0 and for NaN, Inf for Inf; denormals are exact inputs.
// x = 2^k·(1 + f) with sqrt(1/2) ≤ 1 + f < sqrt 2; ln(1 + f) by the series of atanh in s = f / (2 + f).
static inline $F log_$N($F x) {
  const $I small = x < 1.17549435e-38f;
  const $F scaled = select_$N(small, x * 8388608.0f, x);
  const $I shifted = ($I)scaled - 0x3f3504f3;
  const $I k = (shifted >> 23) - (small & 23);
  const $F f = ($F)((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const $F count = __builtin_convertvector(k, $F);
  const $F s = f / (2.0f + f);
  const $F z = s * s;
  $F p = splat_$N(0.23330467216f);
  p = p * z + 0.28550820816f;
  p = p * z + 0.40000121840f;
  p = p * z + 0.66666666554f;
  const $F half_square = 0.5f * f * f;
  $F result = count * 0.693145751953125f - ((half_square - (s * (half_square + z * p) + count * 1.4286068203e-6f)) - f);
  result = select_$N(x == 0.0f, splat_$N(-__builtin_inff()), result);
  result = select_$N(x < 0.0f, splat_$N(__builtin_nanf("")), result);
  return select_$N((x != x) | (x == __builtin_inff()), x, result);
}
