// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F gelu_$F($F x) {
  return x * (0.5 + 0.5 * erf(x * 0.70710678118654752));
}
