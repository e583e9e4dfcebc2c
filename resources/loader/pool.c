/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kSpins = 4000 };

typedef struct worker {
  fl_pool* pool;
  int rank; /* from 1 on: the caller is 0 */
  pthread_t thread;
} worker;

struct fl_pool {
  int threads;
  worker* workers;
  _Atomic uint32_t turn, remaining;
  _Atomic int stopping;
  int count;
  fl_work work;
  void* data;
};

static void futex_wait(_Atomic uint32_t* word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
static void futex_wake(_Atomic uint32_t* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static uint32_t await_change(_Atomic uint32_t* word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t now = atomic_load_explicit(word, memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  for (;;) {
    const uint32_t now = atomic_load_explicit(word, memory_order_acquire);
    if (now != old) return now;
    futex_wait(word, old);
  }
}

/* Parts go to the same threads every time: what a thread touched stays in its caches. */
static void take_parts(const fl_pool* pool, int rank) {
  for (int part = rank; part < pool->count; part += pool->threads) pool->work(pool->data, part);
}

static void* serve(void* argument) {
  worker* const self = argument;
  fl_pool* const pool = self->pool;
  uint32_t seen = 0;
  for (;;) {
    seen = await_change(&pool->turn, seen);
    if (atomic_load_explicit(&pool->stopping, memory_order_acquire)) return NULL;
    take_parts(pool, self->rank);
    if (atomic_fetch_sub_explicit(&pool->remaining, 1, memory_order_acq_rel) == 1) futex_wake(&pool->remaining);
  }
}

fl_pool* fl_pool_create(int threads) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0 && threads > processors) threads = (int)processors;
  fl_pool* const pool = calloc(1, sizeof *pool);
  worker* const workers = calloc((size_t)threads, sizeof *workers);
  if (pool == NULL || workers == NULL) {
    free(pool);
    free(workers);
    return NULL;
  }
  pool->workers = workers;
  pool->threads = 1;
  for (int rank = 1; rank < threads; ++rank) {
    workers[rank] = (worker){pool, rank, 0};
    if (pthread_create(&workers[rank].thread, NULL, serve, &workers[rank]) != 0) {
      fl_pool_destroy(pool);
      return NULL;
    }
    pool->threads = rank + 1; /* nobody reads it before the first turn */
  }
  return pool;
}

void fl_pool_destroy(fl_pool* pool) {
  if (pool == NULL) return;
  atomic_store_explicit(&pool->stopping, 1, memory_order_release);
  atomic_fetch_add_explicit(&pool->turn, 1, memory_order_acq_rel);
  futex_wake(&pool->turn);
  for (int rank = 1; rank < pool->threads; ++rank) pthread_join(pool->workers[rank].thread, NULL);
  free(pool->workers);
  free(pool);
}

void fl_pool_run(void* user, int count, fl_work work, void* data) {
  fl_pool* const pool = user;
  pool->count = count;
  pool->work = work;
  pool->data = data;
  const uint32_t others = (uint32_t)pool->threads - 1;
  if (others == 0 || count <= 1) {
    for (int part = 0; part < count; ++part) work(data, part);
    return;
  }
  atomic_store_explicit(&pool->remaining, others, memory_order_relaxed);
  atomic_fetch_add_explicit(&pool->turn, 1, memory_order_release);
  futex_wake(&pool->turn);
  take_parts(pool, 0);
  for (uint32_t left = atomic_load_explicit(&pool->remaining, memory_order_acquire); left != 0;)
    left = await_change(&pool->remaining, left);
}
