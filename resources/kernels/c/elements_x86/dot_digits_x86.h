// SPDX-License-Identifier: Apache-2.0
// needs: vector, madd
// Each lane holds two 16-bit numbers with a sign. Adds both products.
static inline $F dot_digits_$N($F sum, $F a, $F b) {
  return sum + madd_$N((pairs_$N)a, (pairs_$N)b);
}
