// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Each lane holds two 16-bit numbers with a sign. Adds both products modulo 2^32: exact unless all four numbers are -32768.
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
