// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F neg_$N($F x) {
  return -x;
}
