// SPDX-License-Identifier: Apache-2.0
// needs: vector
// e^-|x| never overflows and keeps small results exact.
static $F sigmoid_$F($F x) {
  const $F e = exp(-fabs(x));
  return (x < ($F)(0) ? e : ($F)(1)) / (($F)(1) + e);
}
