// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F narrow_$N(__attribute__((vector_size(8))) double x) {
  return ($F){(float)x[0]};
}
