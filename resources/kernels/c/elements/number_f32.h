// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Lanes of 32 bits that hold integers with a sign, whatever their type says.
typedef uint32_t whole_$N __attribute__((vector_size($B)));
static inline $F number_$N(whole_$N v) {
  return __builtin_convertvector(($I)v, $F);
}
