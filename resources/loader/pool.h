/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_POOL_H
#define FUSELAB_LOADER_POOL_H

#include "fuselab_loader.h"

/* Threads that share out the parts of one kernel. Between kernels they spin briefly, because kernels follow each other closely, and
 * then sleep. The caller of fl_pool_run() takes part. Used by one thread at a time. */
typedef struct fl_pool fl_pool;

/* `threads` includes the caller. Null where threads or memory cannot be had. */
fl_pool* fl_pool_create(int threads);
void fl_pool_destroy(fl_pool* pool);
/* An fl_parallel_for, whose `user` is the pool. */
void fl_pool_run(void* pool, int count, fl_work work, void* data);

#endif
