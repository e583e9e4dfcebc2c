// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F asinh_$F($F x) {
  return asinh(x);
}
static $F acosh_$F($F x) {
  return acosh(x);
}
static $F atanh_$F($F x) {
  return atanh(x);
}
