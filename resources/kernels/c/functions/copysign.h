// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F abs_$N($F x) {
  return ($F)(($I)x & ~(($I)(-($F){0})));
}
static inline $F copysign_$N($F size, $F sign) {
  const $I bit = ($I)(-($F){0});
  return ($F)((($I)size & ~bit) | (($I)sign & bit));
}
