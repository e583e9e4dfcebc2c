// SPDX-License-Identifier: Apache-2.0
// Runs a generated kernel as the worker does: equal runs of tasks for every thread, working memory of its own for each. The threads
// are those of OpenMP, which the other programs in the process share.
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Kernel)(void* const*, void*, int64_t, int64_t);

enum { kMostThreads = 256 };
static char* scratch[kMostThreads];
static int64_t scratch_bytes[kMostThreads];

// Returns the seconds that `times` launches took together.
double launch(Kernel kernel, void* const* buffers, int64_t bytes, int64_t tasks, int threads, int times) {
  for (int i = 0; i < threads; ++i) {
    if (scratch_bytes[i] >= bytes) continue;
    free(scratch[i]);
    scratch[i] = aligned_alloc(4096, (size_t)(bytes + 4095) / 4096 * 4096);
    memset(scratch[i], 0, (size_t)bytes);
    scratch_bytes[i] = bytes;
  }
  const double begin = omp_get_wtime();
  for (int time = 0; time < times; ++time) {
#pragma omp parallel num_threads(threads)
    {
      const int i = omp_get_thread_num();
      const int64_t first = tasks * i / threads;
      const int64_t last = tasks * (i + 1) / threads;
      if (first < last) kernel(buffers, scratch[i], first, last);
    }
  }
  return omp_get_wtime() - begin;
}

typedef float Lane __attribute__((vector_size(64)));

// Copies with stores that bypass the caches, as a bound for what streams. Returns the seconds of `times` copies.
double copy(float* to, const float* from, int64_t floats, int threads, int times) {
  const double begin = omp_get_wtime();
  for (int time = 0; time < times; ++time) {
#pragma omp parallel num_threads(threads)
    {
      const int i = omp_get_thread_num();
      const int64_t first = floats / 16 * i / threads * 16;
      const int64_t last = floats / 16 * (i + 1) / threads * 16;
      for (int64_t at = first; at < last; at += 16) {
#if defined(__AVX512F__)
        __builtin_ia32_movntps512(to + at, *(const Lane*)(from + at));
#else
        for (int64_t half = at; half < at + 16; half += 4)
          __builtin_ia32_movntps(to + half, *(const float __attribute__((vector_size(16)))*)(from + half));
#endif
      }
      __builtin_ia32_sfence();
    }
  }
  return omp_get_wtime() - begin;
}

// Multiply-adds of registers that wait for nothing, as a bound for what computes. Returns the seconds of `steps` steps of
// 24 · 16 · 2 operations for each thread.
double multiply_add(int64_t steps, int threads) {
  static volatile float sink;
  const double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads)
  {
    Lane sums[24];
    const float seed = (float)omp_get_thread_num() * 1e-9f;
    for (int i = 0; i < 24; ++i) sums[i] = (seed + (float)i) - (Lane){0};
    const Lane factor = 0.999f - (Lane){0};
    const Lane addend = (seed + 0.001f) - (Lane){0};
    for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 24
      for (int i = 0; i < 24; ++i) sums[i] = sums[i] * factor + addend;
    }
    float all = 0;
    for (int i = 0; i < 24; ++i) all += sums[i][0];
    sink = all;
  }
  return omp_get_wtime() - begin;
}
