/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_POOL_H
#define FUSELAB_LOADER_POOL_H

#include "fuselab_loader.h"

/* Threads that share out the parts of one kernel. Between kernels they spin briefly, because kernels follow each other closely, and
 * then sleep. Each part is claimed by whoever comes first, so that a thread that has not woken yet keeps nobody waiting: the caller
 * of fl_pool_run() then does the work alone. Used by one thread at a time. */
typedef struct fl_pool fl_pool;

/* `threads`, at least 1, includes the caller. Null where threads or memory cannot be had. */
fl_pool* fl_pool_create(int threads);
void fl_pool_destroy(fl_pool* pool);
/* An fl_parallel_for, whose `user` is the pool. Of more parts than the pool was made for, the caller runs all. It allocates nothing
 * and takes no lock. */
void fl_pool_run(void* pool, int count, fl_work work, void* data);

#endif
