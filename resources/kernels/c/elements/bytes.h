// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Bytes of memory widened, with a sign where `is_signed`.
static inline $F bytes_$N(const void* from, int64_t at, int64_t is_signed) {
  uint8_t raw[$L];
  memcpy(raw, (const char*)from + at, sizeof raw);
  $F wide;
  for (int i = 0; i < $L; ++i) wide[i] = is_signed ? (uint32_t)(int32_t)(int8_t)raw[i] : raw[i];
  return wide;
}
