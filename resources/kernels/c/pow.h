// SPDX-License-Identifier: Apache-2.0
// needs: vector
// The C library's pow, lane by lane: exponents that are small integers or one half never come here.
static inline $F pow_$N($F x, $F y) {
  for (int i = 0; i < $L; ++i) x[i] = $pow(x[i], y[i]);
  return x;
}
