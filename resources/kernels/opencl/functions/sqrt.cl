// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F sqrt_$F($F x) {
  return sqrt(x);
}
