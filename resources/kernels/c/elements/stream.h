// SPDX-License-Identifier: Apache-2.0
// needs: vector
// A store that bypasses the caches; p is aligned to the vector.
static inline void stream_$N($S* p, $F v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, ($F*)p);
#else
  $stream;
#endif
}
