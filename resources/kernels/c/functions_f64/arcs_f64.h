// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bound: 1 ulp for atan, 4 for asin and acos. The polynomial and its four centres are those of Sun's fdlibm.
static inline double arc_$N(double x) {
  const double size = __builtin_fabs(x);
  double at = size, high = 0, low = 0;
  if (size >= 2.4375) {
    at = -1 / size, high = 1.57079632679489655800e+00, low = 6.12323399573676603587e-17;
  } else if (size >= 1.1875) {
    at = (size - 1.5) / (1 + 1.5 * size), high = 9.82793723247329054082e-01, low = 1.39033110312309984516e-17;
  } else if (size >= 0.6875) {
    at = (size - 1) / (size + 1), high = 7.85398163397448278999e-01, low = 3.06161699786838301793e-17;
  } else if (size >= 0.4375) {
    at = (2 * size - 1) / (2 + size), high = 4.63647609000806093515e-01, low = 2.26987774529616870924e-17;
  }
  const double z = at * at, w = z * z;
  const double odd =
      z * (3.33333333333329318027e-01 +
           w * (1.42857142725034663711e-01 +
                w * (9.09088713343650656196e-02 +
                     w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double even =
      w * (-1.99999999998764832476e-01 +
           w * (-1.11111104054623557880e-01 +
                w * (-7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 - w * 3.65315727442169155270e-02))));
  const double result = high - ((at * (odd + even) - low) - at);
  return x < 0 ? -result : result;
}
static inline $F atan_$N($F x) {
  return ($F){arc_$N(x[0])};
}
static inline $F asin_$N($F x) {
  return ($F){2 * arc_$N(x[0] / (1 + __builtin_sqrt((1 - x[0]) * (1 + x[0]))))};
}
static inline $F acos_$N($F x) {
  return ($F){2 * arc_$N(__builtin_sqrt((1 - x[0]) / (1 + x[0])))};
}
