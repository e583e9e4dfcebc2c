// SPDX-License-Identifier: Apache-2.0
// needs: vector
// IEEE half: computed in float, rounded to nearest even, denormals kept.
static inline $F load_f16x$L(const uint16_t* p) {
  uint16_t raw[$L];
  memcpy(raw, p, sizeof raw);
  $I half;
  for (int i = 0; i < $L; ++i) half[i] = raw[i];
  const $I size = (half & 0x7fff) << 13;
  const $I special = (half & 0x7c00) == 0x7c00;
  const $F scaled = ($F)size * 0x1p112f;
  const $I bits = (special & (size | 0x7f800000)) | (~special & ($I)scaled);
  return ($F)(bits | ((half & 0x8000) << 16));
}
static inline void store_f16x$L(uint16_t* p, $F v) {
  const $I bits = ($I)v;
  const $I sign = (bits >> 16) & 0x8000;
  const $I size = bits & 0x7fffffff;
  // Normal halves: rebias and round in integers. Denormal halves: adding 0.5 lets the FPU round at the right bit.
  const $I normal = (size - 0x38000000 + 0xfff + ((size >> 13) & 1)) >> 13;
  const $I denormal = ($I)(($F)size + 0.5f) - 0x3f000000;
  const $I is_small = size < 0x38800000;
  const $I is_large = size >= 0x47800000;
  const $I is_nan = size > 0x7f800000;
  $I half = (is_small & denormal) | (~is_small & normal);
  half = (is_large & 0x7c00) | (~is_large & half);
  half = (is_nan & 0x7e00) | (~is_nan & half);
  half |= sign;
  uint16_t raw[$L];
  for (int i = 0; i < $L; ++i) raw[i] = (uint16_t)half[i];
  memcpy(p, raw, sizeof raw);
}
