// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_u32x$L(const __global uint* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_u32x$L(__global uint* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_uint)(x));
}
