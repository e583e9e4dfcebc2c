// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F sqrt_$N($F x) {
  for (int i = 0; i < $L; ++i) x[i] = $sqrt(x[i]);
  return x;
}
