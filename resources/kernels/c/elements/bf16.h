// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bfloat16: the upper half of a float, rounded to nearest even.
static inline $F load_bf16x$L(const uint16_t* p) {
  uint16_t raw[$L];
  memcpy(raw, p, sizeof raw);
  $I bits;
  for (int i = 0; i < $L; ++i) bits[i] = (int32_t)((uint32_t)raw[i] << 16);
  return ($F)bits;
}
static inline void store_bf16x$L(uint16_t* p, $F v) {
  const $I bits = ($I)v;
  const $I rounded = bits + 0x7fff + ((bits >> 16) & 1);
  const $I quiet = bits | 0x400000;
  const $I nan = v != v;
  const $I top = ((nan & quiet) | (~nan & rounded)) >> 16;
  uint16_t raw[$L];
  for (int i = 0; i < $L; ++i) raw[i] = (uint16_t)top[i];
  memcpy(p, raw, sizeof raw);
}
