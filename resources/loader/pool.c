/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  kSpins = 4000,
  kLook = 64, /* spins between two looks at who is on this processor */
  kLine = 64,
  kNowhere = -1
};

typedef struct worker {
  fl_pool* pool;
  int rank; /* from 1 on: the caller is 0 */
  pthread_t thread;
} worker;

/* On a line of its own: two threads claim neighbouring parts at the same time. */
typedef struct part_state {
  _Alignas(kLine) _Atomic uint32_t claimed; /* the last turn in which somebody took this part */
  _Atomic int processor;                    /* where a helper works on it; kNowhere: none does */
} part_state;

struct fl_pool {
  int threads, most_parts;
  worker* workers;
  part_state* parts;
  _Alignas(kLine) _Atomic uint32_t turn; /* helpers sleep on it */
  _Atomic uint32_t sleepers;
  _Atomic int stopping, caller_processor;
  _Atomic uint64_t job; /* the turn, and below it the number of its parts: one word, so that the two fit each other */
  _Atomic(fl_work) work;
  _Atomic(void*) data;
  _Alignas(kLine) _Atomic uint32_t remaining; /* parts that have not returned; the caller sleeps on it */
  _Atomic int caller_sleeps;
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

/* Takes a part for this turn, unless somebody has it or the turn is over. A part that is older than the turn keeps the turn open,
 * so that `work` and `data`, which were read while it was, are that turn's. */
static int claim(part_state* part, uint32_t turn) {
  uint32_t last = atomic_load_explicit(&part->claimed, memory_order_relaxed);
  if ((int32_t)(turn - last) <= 0) return 0;
  return atomic_compare_exchange_strong_explicit(&part->claimed, &last, turn, memory_order_acq_rel, memory_order_relaxed);
}

static void run_claimed(fl_pool* pool, int rank, int index, fl_work work, void* data) {
  part_state* const part = &pool->parts[index];
  if (rank > 0) atomic_store_explicit(&part->processor, sched_getcpu(), memory_order_relaxed);
  work(data, index);
  if (rank > 0) atomic_store_explicit(&part->processor, kNowhere, memory_order_relaxed);
  /* Sequentially consistent on both sides: the caller that is about to sleep sees that this was the last part, or is seen. */
  if (atomic_fetch_sub(&pool->remaining, 1) == 1 && atomic_load(&pool->caller_sleeps)) futex_wake(&pool->remaining);
}

/* Each thread begins with the parts that were its own the last time, whose data lie in its caches, and then takes what is left: a
 * helper that has not woken keeps nobody waiting. */
static void take_parts(fl_pool* pool, int rank) {
  const uint64_t job = atomic_load_explicit(&pool->job, memory_order_acquire);
  const uint32_t turn = (uint32_t)(job >> 32);
  const int count = (int)(uint32_t)job;
  const fl_work work = atomic_load_explicit(&pool->work, memory_order_relaxed);
  void* const data = atomic_load_explicit(&pool->data, memory_order_relaxed);
  for (int part = rank; part < count; part += pool->threads) {
    if (claim(&pool->parts[part], turn)) run_claimed(pool, rank, part, work, data);
  }
  for (int part = 0; part < count; ++part) {
    if (claim(&pool->parts[part], turn)) run_claimed(pool, rank, part, work, data);
  }
}

/* Leaves the caller's processor, on which this thread was woken while another one may be idle: as long as both share one, each step
 * waits until the system takes turns. The threads that are allowed to it stay what they were. */
static void leave(int processor) {
  cpu_set_t allowed, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || processor < 0 || processor >= CPU_SETSIZE) return;
  others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

static int caller_is_here(const fl_pool* pool) {
  return sched_getcpu() == atomic_load_explicit(&pool->caller_processor, memory_order_relaxed);
}

/* Spins, unless that would keep the caller from running. */
static uint32_t await_turn(fl_pool* pool, uint32_t seen) {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t now = atomic_load_explicit(&pool->turn, memory_order_acquire);
    if (now != seen) return now;
    if (i % kLook == 0 && caller_is_here(pool)) break;
    relax();
  }
  atomic_fetch_add(&pool->sleepers, 1);
  uint32_t now = atomic_load(&pool->turn);
  for (; now == seen; now = atomic_load(&pool->turn)) futex_wait(&pool->turn, seen);
  atomic_fetch_sub(&pool->sleepers, 1);
  return now;
}

static void* serve(void* argument) {
  const worker* const self = argument;
  fl_pool* const pool = self->pool;
  uint32_t seen = 0;
  for (;;) {
    seen = await_turn(pool, seen);
    if (atomic_load_explicit(&pool->stopping, memory_order_acquire)) return NULL;
    if (caller_is_here(pool)) leave(atomic_load_explicit(&pool->caller_processor, memory_order_relaxed));
    take_parts(pool, self->rank);
  }
}

/* Whether a helper works on a part on this processor: it goes on only when the caller sleeps. */
static int helper_is_here(const fl_pool* pool, int count) {
  const int here = sched_getcpu();
  for (int i = 0; i < count; ++i) {
    if (atomic_load_explicit(&pool->parts[i].processor, memory_order_relaxed) == here) return 1;
  }
  return 0;
}

static void await_parts(fl_pool* pool, int count) {
  for (int i = 0; i < kSpins; ++i) {
    if (atomic_load_explicit(&pool->remaining, memory_order_acquire) == 0) return;
    if (i % kLook == kLook - 1 && helper_is_here(pool, count)) break;
    relax();
  }
  atomic_store(&pool->caller_sleeps, 1);
  for (uint32_t left; (left = atomic_load(&pool->remaining)) != 0;) futex_wait(&pool->remaining, left);
  atomic_store_explicit(&pool->caller_sleeps, 0, memory_order_relaxed);
}

static void free_pool(fl_pool* pool) {
  if (pool == NULL) return;
  free(pool->workers);
  free(pool->parts);
  free(pool);
}

static fl_pool* new_pool(int most_parts, int threads) {
  fl_pool* const pool = aligned_alloc(kLine, sizeof *pool);
  if (pool == NULL) return NULL;
  *pool = (fl_pool){0};
  pool->threads = 1;
  pool->most_parts = most_parts;
  pool->workers = calloc((size_t)threads, sizeof *pool->workers);
  pool->parts = aligned_alloc(kLine, (size_t)most_parts * sizeof *pool->parts);
  if (pool->workers == NULL || pool->parts == NULL) {
    free_pool(pool);
    return NULL;
  }
  for (int i = 0; i < most_parts; ++i) {
    pool->parts[i] = (part_state){0};
    atomic_init(&pool->parts[i].processor, kNowhere);
  }
  return pool;
}

fl_pool* fl_pool_create(int threads) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int most_parts = threads;
  if (processors > 0 && threads > processors) threads = (int)processors;
  fl_pool* const pool = new_pool(most_parts, threads);
  if (pool == NULL) return NULL;
  for (int rank = 1; rank < threads; ++rank) {
    pool->workers[rank] = (worker){pool, rank, 0};
    if (pthread_create(&pool->workers[rank].thread, NULL, serve, &pool->workers[rank]) != 0) {
      fl_pool_destroy(pool);
      return NULL;
    }
    pool->threads = rank + 1; /* nobody reads it before the first turn */
  }
  return pool;
}

/* Sequentially consistent on both sides: whoever is about to sleep sees the turn, or is seen. */
static void publish_turn(fl_pool* pool, uint32_t turn) {
  atomic_store(&pool->turn, turn);
  if (atomic_load(&pool->sleepers) != 0) futex_wake(&pool->turn);
}

void fl_pool_destroy(fl_pool* pool) {
  if (pool == NULL) return;
  atomic_store_explicit(&pool->stopping, 1, memory_order_release);
  publish_turn(pool, atomic_load_explicit(&pool->turn, memory_order_relaxed) + 1);
  for (int rank = 1; rank < pool->threads; ++rank) pthread_join(pool->workers[rank].thread, NULL);
  free_pool(pool);
}

/* Turns are compared by their difference, which has half the numbers: what was claimed longer ago is brought near enough. */
static void refresh_claims(fl_pool* pool, uint32_t turn) {
  if (turn % (UINT32_C(1) << 30) != 0) return;
  for (int i = 0; i < pool->most_parts; ++i) atomic_store_explicit(&pool->parts[i].claimed, turn - 1, memory_order_relaxed);
}

void fl_pool_run(void* user, int count, fl_work work, void* data) {
  fl_pool* const pool = user;
  if (pool->threads == 1 || count <= 1 || count > pool->most_parts) {
    for (int part = 0; part < count; ++part) work(data, part);
    return;
  }
  const uint32_t turn = atomic_load_explicit(&pool->turn, memory_order_relaxed) + 1;
  refresh_claims(pool, turn);
  atomic_store_explicit(&pool->work, work, memory_order_relaxed);
  atomic_store_explicit(&pool->data, data, memory_order_relaxed);
  atomic_store_explicit(&pool->caller_processor, sched_getcpu(), memory_order_relaxed);
  atomic_store_explicit(&pool->remaining, (uint32_t)count, memory_order_relaxed);
  atomic_store_explicit(&pool->job, (uint64_t)turn << 32 | (uint32_t)count, memory_order_release);
  publish_turn(pool, turn);
  take_parts(pool, 0);
  await_parts(pool, count);
}
