// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F asin_$F($F x) {
  return asin(x);
}
static $F acos_$F($F x) {
  return acos(x);
}
static $F atan_$F($F x) {
  return atan(x);
}
