// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_i16x$L(const __global short* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_i16x$L(__global short* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_short)(x));
}
