// SPDX-License-Identifier: Apache-2.0
// needs: vector
static $F log_$F($F x) {
  return log(x);
}
