// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F exp_$F($F x) {
  return exp(x);
}
