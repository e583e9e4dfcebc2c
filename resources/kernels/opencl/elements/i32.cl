// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_i32x$L(const __global int* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_i32x$L(__global int* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_int)(x));
}
