// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F load_u8x$L(const uint8_t* p) {
  $F v;
  for (int i = 0; i < $L; ++i) v[i] = ($S)p[i];
  return v;
}
