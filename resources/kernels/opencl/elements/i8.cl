// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_i8x$L(const __global char* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_i8x$L(__global char* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_char)(x));
}
