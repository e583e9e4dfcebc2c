// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// Where the condition is not 0 a, else b.
static inline $F where_$N($F condition, $F a, $F b) {
  return select_$N(condition != 0, a, b);
}
