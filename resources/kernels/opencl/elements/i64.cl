// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_i64x$L(const __global long* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_i64x$L(__global long* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_long)(x));
}
