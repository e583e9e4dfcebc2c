// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F gelu_$F($F x) {
  return x * (0.5f + 0.5f * erf(x * 0.70710678118654752f));
}
