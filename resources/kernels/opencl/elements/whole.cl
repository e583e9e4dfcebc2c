// SPDX-License-Identifier: Apache-2.0
// needs:
// Whole numbers in 64 bits. Sums and products wrap; a division by 0 gives 0.
static long fl_whole_add(long a, long b) {
  return (long)((ulong)a + (ulong)b);
}
static long fl_whole_sub(long a, long b) {
  return (long)((ulong)a - (ulong)b);
}
static long fl_whole_mul(long a, long b) {
  return (long)((ulong)a * (ulong)b);
}
static long fl_whole_min(long a, long b) {
  return a < b ? a : b;
}
static long fl_whole_max(long a, long b) {
  return a > b ? a : b;
}
static long fl_whole_choose(long condition, long a, long b) {
  return condition ? a : b;
}
static long fl_whole_div(long a, long b) {
  if (b == 0) return 0;
  return b == -1 ? fl_whole_sub(0, a) : a / b;
}
// With the dividend's sign, as C has it; with the divisor's, as Python has it.
static long fl_whole_rest(long a, long b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
static long fl_whole_modulo(long a, long b) {
  const long rest = fl_whole_rest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static long fl_whole_power(long a, long n) {
  if (n < 0) return a == 1 || (a == -1 && n % 2 == 0) ? 1 : (a == -1 ? -1 : 0);
  long power = 1;
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) power = fl_whole_mul(power, a);
    a = fl_whole_mul(a, a);
  }
  return power;
}
static long fl_whole_to_i8(long x) {
  return (char)x;
}
static long fl_whole_to_i16(long x) {
  return (short)x;
}
static long fl_whole_to_i32(long x) {
  return (int)x;
}
static long fl_whole_to_u8(long x) {
  return (uchar)x;
}
static long fl_whole_to_u16(long x) {
  return (ushort)x;
}
static long fl_whole_to_u32(long x) {
  return (uint)x;
}
// Where along an axis a place beyond its ends is copied from.
static long fl_whole_edge(long at, long extent) {
  return fl_whole_max(0, fl_whole_min(at, extent - 1));
}
static long fl_whole_wrap(long at, long extent) {
  return fl_whole_modulo(at, extent);
}
static long fl_whole_reflect(long at, long extent) {
  if (extent == 1) return 0;
  const long turn = fl_whole_modulo(at, 2 * (extent - 1));
  return turn < extent ? turn : 2 * (extent - 1) - turn;
}
// How many of a window's taps lie in the room before an end.
static long fl_whole_taps(long room, long dilation, long taps) {
  if (room <= 0) return 0;
  return fl_whole_min((room + dilation - 1) / dilation, taps);
}
