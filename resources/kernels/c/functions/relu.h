// SPDX-License-Identifier: Apache-2.0
// needs: vector, larger
// A NaN stays a NaN.
static inline $F relu_$N($F x) {
  return larger_$N(($F){0}, x);
}
