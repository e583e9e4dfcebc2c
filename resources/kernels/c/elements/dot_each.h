// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Each lane holds four bytes: those of `a` without, those of `b` with a sign. Adds the four products.
static inline $F dot_each_$N($F sum, $F a, $F b) {
  for (int byte = 0; byte < 4; ++byte) sum += (a >> 8 * byte & 255) * ($F)((($I)b << 24 - 8 * byte) >> 24);
  return sum;
}
