// SPDX-License-Identifier: Apache-2.0
// needs: vector
// The lanes or-ed, in every lane.
static inline $F any_of_$N($F x) {
  uint32_t all = 0;
  for (int i = 0; i < $L; ++i) all |= x[i];
  return splat_$N(all);
}
