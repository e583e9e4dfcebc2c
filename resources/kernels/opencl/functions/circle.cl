// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F sin_$F($F x) {
  return sin(x);
}
static $F cos_$F($F x) {
  return cos(x);
}
static $F tan_$F($F x) {
  return tan(x);
}
