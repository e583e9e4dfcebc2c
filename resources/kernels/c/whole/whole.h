// SPDX-License-Identifier: Apache-2.0
// needs:
// Whole numbers in 64 bits. Sums and products wrap; a division by 0 gives 0.
static inline int64_t fl_whole_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t fl_whole_sub(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t fl_whole_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
static inline int64_t fl_whole_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t fl_whole_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static inline int64_t fl_whole_choose(int64_t condition, int64_t a, int64_t b) {
  return condition ? a : b;
}
static inline int64_t fl_whole_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? fl_whole_sub(0, a) : a / b;
}
// With the dividend's sign, as C has it; with the divisor's, as Python has it.
static inline int64_t fl_whole_rest(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
static inline int64_t fl_whole_modulo(int64_t a, int64_t b) {
  const int64_t rest = fl_whole_rest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static inline int64_t fl_whole_power(int64_t a, int64_t n) {
  if (n < 0) return a == 1 || (a == -1 && n % 2 == 0) ? 1 : (a == -1 ? -1 : 0);
  int64_t power = 1;
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) power = fl_whole_mul(power, a);
    a = fl_whole_mul(a, a);
  }
  return power;
}
static inline int64_t fl_whole_to_i8(int64_t x) {
  return (int8_t)x;
}
static inline int64_t fl_whole_to_i16(int64_t x) {
  return (int16_t)x;
}
static inline int64_t fl_whole_to_i32(int64_t x) {
  return (int32_t)x;
}
static inline int64_t fl_whole_to_u8(int64_t x) {
  return (uint8_t)x;
}
static inline int64_t fl_whole_to_u16(int64_t x) {
  return (uint16_t)x;
}
static inline int64_t fl_whole_to_u32(int64_t x) {
  return (uint32_t)x;
}
// Where along an axis a place beyond its ends is copied from.
static inline int64_t fl_whole_edge(int64_t at, int64_t extent) {
  return fl_whole_max(0, fl_whole_min(at, extent - 1));
}
static inline int64_t fl_whole_wrap(int64_t at, int64_t extent) {
  return fl_whole_modulo(at, extent);
}
static inline int64_t fl_whole_reflect(int64_t at, int64_t extent) {
  if (extent == 1) return 0;
  const int64_t turn = fl_whole_modulo(at, 2 * (extent - 1));
  return turn < extent ? turn : 2 * (extent - 1) - turn;
}
// How many of a window's taps lie in the room before an end.
static inline int64_t fl_whole_taps(int64_t room, int64_t dilation, int64_t kernel) {
  if (room <= 0) return 0;
  return fl_whole_min((room + dilation - 1) / dilation, kernel);
}
