// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline $F spread_$N($U x) {
  return splat_$N(x[0]);
}
