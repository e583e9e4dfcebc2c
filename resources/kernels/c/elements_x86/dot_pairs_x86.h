// SPDX-License-Identifier: Apache-2.0
// needs: vector, madd
// Each lane holds four bytes: those of `a` without, those of `b` with a sign. Adds the four products, two by two as 16-bit numbers.
static inline $F dot_pairs_$N($F sum, $F a, $F b) {
  const pairs_$N even = (pairs_$N)b << 8, odd = (pairs_$N)b >> 8;
  return sum + madd_$N((pairs_$N)(a & 0xff00ff), even >> 8) + madd_$N((pairs_$N)(a >> 8 & 0xff00ff), odd);
}
