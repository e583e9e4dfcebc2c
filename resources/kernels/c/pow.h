// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bound: 1 ulp, which is what glibc states for pow and powf (its manual, "Known Maximum Errors in Math Functions"); the only
// bound: function whose error is the C library's and not that of a polynomial of ours.
// The C library's pow, lane by lane: exponents that are small integers or one half never come here.
static inline $F pow_$N($F x, $F y) {
  for (int i = 0; i < $L; ++i) x[i] = $pow(x[i], y[i]);
  return x;
}
