// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_f32x$L(const __global float* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_f32x$L(__global float* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_float)(x));
}
