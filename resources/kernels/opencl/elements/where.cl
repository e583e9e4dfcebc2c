// SPDX-License-Identifier: Apache-2.0
// needs: vector
// Where the condition is not 0 a, else b.
static $F where_$F($F condition, $F a, $F b) {
  return condition != ($F)(0) ? a : b;
}
