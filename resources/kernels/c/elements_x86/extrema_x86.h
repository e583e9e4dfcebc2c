// SPDX-License-Identifier: Apache-2.0
// needs: vector, select, larger
// ONNX Max and Min: a NaN on either side wins. b is looked at, because a is what a chain of them has to wait for.
static inline $F max_$N($F a, $F b) {
#if $B == 64 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_max$P512_mask(b, a, b, __builtin_ia32_cmp$P512_mask(b, b, 7, -1, 4), 4);
#else
  return select_$N(b == b, larger_$N(b, a), b);
#endif
}
static inline $F min_$N($F a, $F b) {
#if $B == 64 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_min$P512_mask(b, a, b, __builtin_ia32_cmp$P512_mask(b, b, 7, -1, 4), 4);
#else
  return select_$N(b == b, smaller_$N(b, a), b);
#endif
}
