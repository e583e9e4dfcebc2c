// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_u16x$L(const __global ushort* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_u16x$L(__global ushort* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_ushort)(x));
}
