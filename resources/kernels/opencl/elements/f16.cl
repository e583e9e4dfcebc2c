// SPDX-License-Identifier: Apache-2.0
// needs: vector
// IEEE half: computed in float, rounded to nearest even. Core functions: no extension is needed to load and store it.
static $F load_f16x$L(const __global half* p) {
  return FL_WIDE_$L(vload_half)(0, p);
}
static void store_f16x$L(__global half* p, $F x) {
  FL_ROUNDED(FL_WIDE_$L(vstore_half))(x, 0, p);
}
