// SPDX-License-Identifier: Apache-2.0
// needs:
// $L lanes of $S. Memory is only aligned to its element; a vector of one lane is the tail of every loop.
typedef $S $F __attribute__((vector_size($B)));
typedef $T $I __attribute__((vector_size($B)));
static inline $F splat_$N($S x) {
  return x - ($F){0};
}
static inline $F load_$N(const $S* p) {
  $F v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline void store_$N($S* p, $F v) {
  memcpy(p, &v, sizeof v);
}
