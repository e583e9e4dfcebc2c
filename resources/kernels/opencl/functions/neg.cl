// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F neg_$F($F x) {
  return -x;
}
