// SPDX-License-Identifier: Apache-2.0
// needs: vector
// The upper half of a float, rounded to nearest even; a NaN stays one.
static $F load_bf16x$L(const __global ushort* p) {
  return FL_WIDE_$L(as_float)(FL_WIDE_$L(convert_uint)(FL_LOAD_$L(p)) << 16);
}
static void store_bf16x$L(__global ushort* p, $F x) {
  const FL_WIDE_$L(uint) bits = FL_WIDE_$L(as_uint)(x);
  const FL_WIDE_$L(uint) rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const FL_WIDE_$L(uint) nan = (FL_WIDE_$L(uint))(0x7fc0u);
  FL_STORE_$L(p, FL_WIDE_$L(convert_ushort)(x != x ? nan : rounded));
}
