// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_u8x$L(const __global uchar* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_u8x$L(__global uchar* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_uchar)(x));
}
