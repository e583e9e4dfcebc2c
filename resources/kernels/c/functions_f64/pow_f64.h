// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, copysign
// bound: 0.8 ulp, and 1 ulp where the result is denormal; seen in 20 million pairs against __float128: 0.65 and 0.77.
// bound: half an ulp is the last rounding. 2^r = 1 + u + rest, where 1 + u is exact; the roundings in |rest| <= 0.068 add
// bound: up to 0.25 at most. The logarithm is off by 2^-69 of itself, which y log2 x <= 1075 makes 2^-59: 0.02. A denormal
// bound: result is rounded once more, after an error that counts at most half there.
// x^y as C has it (0^0, 1^NaN and (+-1)^+-Inf are 1; NaN below 0 unless y is whole; an odd y keeps the sign of x).
// x = 2^k m with sqrt(1/2) <= m < sqrt 2; c is the nearest of three short numbers to m; log2(m / c) by the series of atanh
// in s = (m - c) / (m + c); y log2 x = n + r; 2^r 2^n. What must not be rounded is a sum of two numbers, and a factor's
// head has 26 bits, so that the product of two heads is exact, whether the compiler fuses it into a sum or not.
typedef uint64_t bits_$N __attribute__((vector_size($B)));
static inline $F head_$N($F x) {
  return ($F)(($I)x & ~0x7ffffffLL);
}
static inline $F pow_$N($F x, $F y) {
  const $F size = abs_$N(x);
  const $I small = size < 2.2250738585072014e-308;
  const $I shifted = ($I)select_$N(small, size * 4503599627370496.0, size) + 0x00095f619980c433LL;
  const $I exponent = ($I)((bits_$N)shifted >> 52) - (small & 52);
  const $F k = ($F)(exponent + 0x4338000000000000LL) - 6755399441056767.0;
  const $F m = ($F)((shifted & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  const $I below = m < 0.890487928;
  const $I above = m >= 1.123262547;
  const $F c = select_$N(below, splat_$N(0.79296875), select_$N(above, splat_$N(1.26171875), splat_$N(1.0)));
  const $F log_c = ($F)((below & ($I)splat_$N(-0.33466408281401527347)) | (above & ($I)splat_$N(0.33539035469311784254)));
  const $F log_c_tail =
      ($F)((below & ($I)splat_$N(-8.0849836782579190178e-13)) | (above & ($I)splat_$N(8.0705950371522306966e-13)));

  // s = s_head + s_tail; z = s² = z_head + z_tail.
  const $F over = m - c;
  const $F under = m + c;
  const $F under_head = head_$N(under);
  const $F under_tail = (under - under_head) + (m - (under - c));
  const $F inverse = 1.0 / under;
  const $F s_head = head_$N(over * inverse);
  const $F s_tail = ((over - s_head * under_head) - s_head * under_tail) * inverse;
  const $F square = s_head * s_head;
  const $F z_head = head_$N(square);
  const $F z_tail = (square - z_head) + s_tail * (s_head + s_head + s_tail);
  const $F z = z_head + z_tail;

  // log2(m / c) = s·(series + series_tail): the first two terms, 2 / ln 2 and z·2 / (3·ln 2), in two numbers each.
  $F p = splat_$N(0.2235827295326991736);
  p = p * z + 0.2623033728137929046;
  p = p * z + 0.3205989037809766367;
  p = p * z + 0.4121985831086837681;
  p = p * z + 0.5770780163555855282;
  const $F linear = z_head * 0.96179668605327606201;
  const $F linear_tail = z_tail * 0.96179668605327606201 + z * 7.872699542894897704e-9;
  const $F series = 2.885390081777926774 + linear;
  const $F series_tail = (linear - (series - 2.885390081777926774)) + (4.0710547481862064099e-17 + linear_tail + z * z * p);
  const $F series_head = head_$N(series);
  const $F product = s_head * series_head;
  const $F product_tail = s_head * ((series - series_head) + series_tail) + s_tail * (series + series_tail);

  // log2 x = log + log_tail; either k + log_c is 0 or it is larger than the rest.
  const $F whole_log = k + log_c;
  const $F log = whole_log + product;
  const $F log_tail = (product - (log - whole_log)) + (product_tail + log_c_tail);
  const $F log_sum = log + log_tail;
  const $F log_head = head_$N(log_sum);
  const $F log_rest = (log - log_head) + log_tail;

  // y·log2 x = t + t_tail. No y beyond 2^64 makes more of the least logarithm than "out of range".
  $F factor = select_$N(y > 0x1p64, splat_$N(0x1p64), y);
  factor = select_$N(factor < -0x1p64, splat_$N(-0x1p64), factor);
  const $F factor_head = head_$N(factor);
  const $F t = factor_head * log_head;
  const $F t_tail = factor_head * log_rest + (factor - factor_head) * log_sum;
  const $F rounded = (t + t_tail) + 6755399441055744.0;
  const $F turn = t - (rounded - 6755399441055744.0);
  const $F r = turn + t_tail;

  // 2^r = 1 + r·ln 2 + r²·Q(r).
  $F q = splat_$N(2.573357372307314477e-11);
  q = q * r + 4.454961087693300997e-10;
  q = q * r + 7.054894649351219099e-9;
  q = q * r + 1.017806244330831609e-7;
  q = q * r + 1.321548681451016305e-6;
  q = q * r + 0.00001525273382984053664;
  q = q * r + 0.0001540353039336555498;
  q = q * r + 0.001333355814641693239;
  q = q * r + 0.009618129107628481105;
  q = q * r + 0.05550410866482159434;
  q = q * r + 0.2402265069591007123;
  const $F r_head = head_$N(r);
  const $F r_tail = (turn - r_head) + t_tail;
  const $F u = r_head * 0.69314716756343841553;
  const $F sum = 1.0 + u;
  const $F rest = r * r * q + (r_tail * 0.69314718055994530942 + r_head * 1.2996506893889888371e-8);
  const $F power = sum + ((u - (sum - 1.0)) + rest);
  const $I count = ($I)rounded - ($I)splat_$N(6755399441055744.0) + 2048;
  const $I half = ($I)((bits_$N)count >> 1);
  const $F low = ($F)((half - 1) << 52);
  const $F high = ($F)((count - half - 1) << 52);
  $F result = power * low * high;

  // 0 and Inf have no logarithm: they stay or change places.
  const $F infinity = splat_$N(__builtin_inf());
  const $I nothing = (size == 0.0) | (size == infinity);
  const $I grows = (nothing & ((size == 0.0) ^ (y > 0.0))) | (~nothing & (t > 1100.0));
  const $I shrinks = (nothing & ((size == 0.0) ^ (y < 0.0))) | (~nothing & (t < -1100.0));
  result = select_$N(grows, infinity, select_$N(shrinks, splat_$N(0.0), result));
  // Beyond 2^52 every double is whole, beyond 2^53 every one is even.
  const $F height = abs_$N(y);
  const $F tall = height + 4503599627370496.0;
  const $I whole = (height >= 4503599627370496.0) | (tall - 4503599627370496.0 == height);
  const $I last = ($I)select_$N(height < 4503599627370496.0, tall, height);
  const $I odd = whole & (height < 9007199254740992.0) & -(last & 1);
  result = ($F)(($I)result ^ (odd & ($I)x & ($I)(-($F){0})));
  result = select_$N((x < 0.0) & (size != infinity) & ~whole, splat_$N(__builtin_nan("")), result);
  result = select_$N((x != x) | (y != y), x + y, result);
  return select_$N((x == 1.0) | (y == 0.0), splat_$N(1.0), result);
}
