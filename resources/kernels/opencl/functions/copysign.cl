// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F abs_$F($F x) {
  return fabs(x);
}
