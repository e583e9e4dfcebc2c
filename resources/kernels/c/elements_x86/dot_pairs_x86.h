// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Each lane holds four bytes: those of `a` without, those of `b` with a sign. Adds the four products, two by two as 16-bit numbers,
// whose products and their sums are exact in 32 bits.
typedef int16_t pairs_$N __attribute__((vector_size($B)));
static inline $F madd_$N(pairs_$N a, pairs_$N b) {
#if $B == 64
  $F made;
  __asm__("vpmaddwd %2, %1, %0" : "=v"(made) : "v"(a), "v"(b));
  return made;
#elif $B == 32
  return ($F)__builtin_ia32_pmaddwd256(a, b);
#else
  return ($F)__builtin_ia32_pmaddwd128(a, b);
#endif
}
static inline $F dot_pairs_$N($F sum, $F a, $F b) {
  const pairs_$N even = (pairs_$N)b << 8, odd = (pairs_$N)b >> 8;
  return sum + madd_$N((pairs_$N)(a & 0xff00ff), even >> 8) + madd_$N((pairs_$N)(a >> 8 & 0xff00ff), odd);
}
