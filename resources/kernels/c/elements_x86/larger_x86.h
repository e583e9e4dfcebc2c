// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// The larger and the smaller of two; b where either is a NaN or where they are equal: what one instruction does, which clang finds
// by itself and GCC does not where b is a constant.
static inline $F larger_$N($F a, $F b) {
#if defined(__clang__)
  return select_$N(a > b, a, b);
#elif $B == 64 && defined(__AVX512F__)
  return __builtin_ia32_max$P512_mask(a, b, a, -1, 4);
#elif $B == 32 && defined(__AVX__)
  return __builtin_ia32_max$P256(a, b);
#elif $B == 16 && defined(__SSE2__)
  return __builtin_ia32_max$P(a, b);
#else
  return select_$N(a > b, a, b);
#endif
}
static inline $F smaller_$N($F a, $F b) {
#if defined(__clang__)
  return select_$N(a < b, a, b);
#elif $B == 64 && defined(__AVX512F__)
  return __builtin_ia32_min$P512_mask(a, b, a, -1, 4);
#elif $B == 32 && defined(__AVX__)
  return __builtin_ia32_min$P256(a, b);
#elif $B == 16 && defined(__SSE2__)
  return __builtin_ia32_min$P(a, b);
#else
  return select_$N(a < b, a, b);
#endif
}
