// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F sinh_$F($F x) {
  return sinh(x);
}
static $F cosh_$F($F x) {
  return cosh(x);
}
