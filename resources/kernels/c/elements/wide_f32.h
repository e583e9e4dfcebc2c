// SPDX-License-Identifier: Apache-2.0
// needs: vector
static inline __attribute__((vector_size(8))) double wide_$N($F x) {
  return (__attribute__((vector_size(8))) double){x[0]};
}
