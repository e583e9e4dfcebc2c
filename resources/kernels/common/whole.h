// SPDX-License-Identifier: Apache-2.0
// needs:
// Whole numbers in 64 bits. Sums and products wrap; a division by 0 gives 0.
$fn $whole fl_whole_add($whole a, $whole b) {
  return ($whole)(($natural)a + ($natural)b);
}
$fn $whole fl_whole_sub($whole a, $whole b) {
  return ($whole)(($natural)a - ($natural)b);
}
$fn $whole fl_whole_mul($whole a, $whole b) {
  return ($whole)(($natural)a * ($natural)b);
}
$fn $whole fl_whole_min($whole a, $whole b) {
  return a < b ? a : b;
}
$fn $whole fl_whole_max($whole a, $whole b) {
  return a > b ? a : b;
}
$fn $whole fl_whole_choose($whole condition, $whole a, $whole b) {
  return condition ? a : b;
}
$fn $whole fl_whole_div($whole a, $whole b) {
  if (b == 0) return 0;
  return b == -1 ? fl_whole_sub(0, a) : a / b;
}
// With the dividend's sign, as C has it; with the divisor's, as Python has it.
$fn $whole fl_whole_rest($whole a, $whole b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
$fn $whole fl_whole_modulo($whole a, $whole b) {
  const $whole rest = fl_whole_rest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
$fn $whole fl_whole_power($whole a, $whole n) {
  if (n < 0) return a == 1 || (a == -1 && n % 2 == 0) ? 1 : (a == -1 ? -1 : 0);
  $whole power = 1;
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) power = fl_whole_mul(power, a);
    a = fl_whole_mul(a, a);
  }
  return power;
}
$fn $whole fl_whole_to_i8($whole x) {
  return ($schar)x;
}
$fn $whole fl_whole_to_i16($whole x) {
  return ($sshort)x;
}
$fn $whole fl_whole_to_i32($whole x) {
  return ($sint)x;
}
$fn $whole fl_whole_to_u8($whole x) {
  return ($uchar)x;
}
$fn $whole fl_whole_to_u16($whole x) {
  return ($ushort)x;
}
$fn $whole fl_whole_to_u32($whole x) {
  return ($uint)x;
}
// Where along an axis a place beyond its ends is copied from.
$fn $whole fl_whole_edge($whole at, $whole extent) {
  return fl_whole_max(0, fl_whole_min(at, extent - 1));
}
$fn $whole fl_whole_wrap($whole at, $whole extent) {
  return fl_whole_modulo(at, extent);
}
$fn $whole fl_whole_reflect($whole at, $whole extent) {
  if (extent == 1) return 0;
  const $whole turn = fl_whole_modulo(at, 2 * (extent - 1));
  return turn < extent ? turn : 2 * (extent - 1) - turn;
}
// How many of a window's taps lie in the room before an end.
$fn $whole fl_whole_taps($whole room, $whole dilation, $whole taps) {
  if (room <= 0) return 0;
  return fl_whole_min((room + dilation - 1) / dilation, taps);
}
