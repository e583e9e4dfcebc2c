/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of 16 floats, one a task, as generated code is called. */
#include <stdint.h>

__attribute__((visibility("default"))) void add(void* const* buffers, void* scratch, int64_t begin, int64_t end);
__attribute__((visibility("default"))) void scale(void* const* buffers, void* scratch, int64_t begin, int64_t end);
__attribute__((visibility("default"))) void twice(void* const* buffers, void* scratch, int64_t begin, int64_t end);

/* sum = a + b, by way of the scratch of a thread. */
void add(void* const* buffers, void* scratch, int64_t begin, int64_t end) {
  const float *const a = buffers[0], *const b = buffers[1];
  float *const sum = buffers[2], *const kept = scratch;
  for (int64_t i = begin; i < end; ++i) {
    kept[0] = a[i] + b[i];
    sum[i] = kept[0];
  }
}

/* What generated kernels with an index count in; "scale" has one where a is 1000, as if it named one of three entries. */
__attribute__((visibility("default"))) int64_t fuselab_wrong_index[3];

/* product = a * prepared, where twice() prepared b. */
void scale(void* const* buffers, void* scratch, int64_t begin, int64_t end) {
  const float *const a = buffers[0], *const prepared = buffers[3];
  float* const product = buffers[2];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i) {
    product[i] = a[i] * prepared[i];
    if (a[i] != 1000) continue;
    __atomic_fetch_add(&fuselab_wrong_index[0], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&fuselab_wrong_index[1], 1000, __ATOMIC_RELAXED);
    __atomic_store_n(&fuselab_wrong_index[2], 3, __ATOMIC_RELAXED);
  }
}

void twice(void* const* buffers, void* scratch, int64_t begin, int64_t end) {
  const float* const b = buffers[1];
  float* const prepared = buffers[3];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i) prepared[i] = 2 * b[i];
}
