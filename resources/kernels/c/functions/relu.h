// SPDX-License-Identifier: Apache-2.0
// needs: vector, select
// A NaN stays a NaN.
static inline $F relu_$N($F x) {
  return select_$N(x < 0, ($F){0}, x);
}
