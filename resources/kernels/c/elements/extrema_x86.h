// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, larger
// ONNX Max and Min: a NaN on either side wins.
static inline $F max_$N($F a, $F b) {
#if $B == 64 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_max$P512_mask(a, b, a, __builtin_ia32_cmp$P512_mask(a, a, 7, -1, 4), 4);
#else
  return select_$N(a == a, larger_$N(a, b), a);
#endif
}
static inline $F min_$N($F a, $F b) {
#if $B == 64 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_min$P512_mask(a, b, a, __builtin_ia32_cmp$P512_mask(a, a, 7, -1, 4), 4);
#else
  return select_$N(a == a, smaller_$N(a, b), a);
#endif
}
