// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F load_i32x$L(const int32_t* p) {
  $F v;
  for (int i = 0; i < $L; ++i) v[i] = ($S)p[i];
  return v;
}
