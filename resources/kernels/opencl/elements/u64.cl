// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F load_u64x$L(const __global ulong* p) {
  return FL_WIDE_$L(convert_$S)(FL_LOAD_$L(p));
}
static void store_u64x$L(__global ulong* p, $F x) {
  FL_STORE_$L(p, FL_WIDE_$L(convert_ulong)(x));
}
