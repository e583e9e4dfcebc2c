// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Each lane holds four bytes: those of `a` without, those of `b` with a sign. Adds the four products in one instruction, of
// AVX512-VNNI, which the level of x86-64 that the compiler is told does not have.
static inline $F dot_vnni_$N($F sum, $F a, $F b) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
}
