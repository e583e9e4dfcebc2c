// SPDX-License-Identifier: Apache-2.0
// needs: vector
// p·2^n with n = shifted - 12582912, to the last denormal. In the bits of `shifted` the constant lies above n and is shifted out.
// Without an instruction for it, 2^n is applied in two halves, so that neither overflows.
static inline $F scale_$N($F p, $F shifted) {
#if $B == 64 && defined(__AVX512F__)
  return __builtin_ia32_scalefps512_mask(p, shifted - 12582912.0f, p, -1, 4);
#else
  const $I exponent = ($I)shifted;
  const $I half = exponent >> 1;
  const $F low = ($F)((half + 127) << 23);
  const $F high = ($F)((exponent - half + 127) << 23);
  return p * low * high;
#endif
}
// The same for -152 ≤ n ≤ 0: as 2^(n + 64) and then 2^-64, both of which are normal.
static inline $F scale_down_$N($F p, $F shifted) {
#if $B == 64 && defined(__AVX512F__)
  return __builtin_ia32_scalefps512_mask(p, shifted - 12582912.0f, p, -1, 4);
#else
  return p * ($F)((($I)shifted + (127 + 64)) << 23) * 0x1p-64f;
#endif
}
