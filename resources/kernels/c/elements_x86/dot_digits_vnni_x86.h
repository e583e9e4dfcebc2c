// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Each lane holds two 16-bit numbers with a sign. Adds both products in one instruction, of AVX512-VNNI, which the level of x86-64
// that the compiler is told does not have.
static inline $F dot_digits_vnni_$N($F sum, $F a, $F b) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
}
