// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F pow_$F($F x, $F y) {
  return pow(x, y);
}
