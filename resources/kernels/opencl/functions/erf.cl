// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F erf_$F($F x) {
  return erf(x);
}
