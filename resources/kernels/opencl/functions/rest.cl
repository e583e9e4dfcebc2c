// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F rest_$F($F x, $F y) {
  return fmod(x, y);
}
