// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Floats in memory, computed with in double.
static inline $F load_f32x$L(const float* p) {
  $F v;
  for (int i = 0; i < $L; ++i) v[i] = p[i];
  return v;
}
static inline void store_f32x$L(float* p, $F v) {
  for (int i = 0; i < $L; ++i) p[i] = (float)v[i];
}
