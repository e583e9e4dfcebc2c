// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F tanh_$F($F x) {
  return tanh(x);
}
