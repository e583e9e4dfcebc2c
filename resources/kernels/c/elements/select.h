// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Lane by lane: where the mask is all ones a, else b.
static inline $F select_$N($I mask, $F a, $F b) {
  return ($F)((mask & ($I)a) | (~mask & ($I)b));
}
