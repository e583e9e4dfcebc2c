// SPDX-License-Identifier: Apache-2.0
// needs: vector, larger, copysign
// erf x, at most 3 ulp: erfc |x| = e^-g with g = |x| + |x|·G(|x|), and erf |x| = 1 - e^-g without cancellation. Beyond 3.95 it
// is 1. G is off by 4e-9 of erf x at most. -g = n·ln 2 + r; e^r - 1 = r + r²·P(r), P off by 1.4e-8 of e^r - 1 at most.
static inline $F erf_$N($F x) {
  const $F size = smaller_$N(splat_$N(3.95f), abs_$N(x));
  $F g = splat_$N(9.2566299215e-06f);
  g = g * size + -0.00011764466942f;
  g = g * size + 0.00063284955443f;
  g = g * size + -0.0016670519673f;
  g = g * size + 0.00016042224526f;
  g = g * size + 0.0191530485f;
  g = g * size + -0.10277782585f;
  g = g * size + -0.63661938258f;
  g = g * size + -0.12837917159f;
  const $F fall = size * g - size;
  const $F shifted = fall * 1.44269504089f + 12582912.0f;
  const $F n = shifted - 12582912.0f;
  const $F r = fall - n * 0.69314718056f;
  $F p = splat_$N(0.0013882497463f);
  p = p * r + 0.0083666467943f;
  p = p * r + 0.041667203919f;
  p = p * r + 0.16666542685f;
  p = p * r + 0.49999998133f;
  const $F power = ($F)((($I)shifted + 127) << 23);
  return copysign_$N((1.0f - power) - power * (r + r * r * p), x);
}
