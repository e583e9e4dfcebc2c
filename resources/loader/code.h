/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_CODE_H
#define FUSELAB_LOADER_CODE_H

#include "fuselab_loader.h"

/* A generated kernel: runs tasks [begin, end) on buffers in the order of its arguments, with scratch of its own. */
typedef void (*fl_function)(void* const* buffers, void* scratch, int64_t begin, int64_t end);

/* A shared object that exists in memory only. */
typedef struct fl_code {
  void* handle;
  int file; /* stays open as long as the code: the system's loader tells objects apart by device and inode */
  /* How often its kernels met an index out of range, the last one, and how many entries there are; null: they have no index. */
  const int64_t* wrong_index;
} fl_code;

/* Copies the code into memory that nobody can change any more, checks that the copy has this SHA-256, and only then loads it. */
fl_status fl_code_load(const unsigned char* elf, size_t bytes, const char* hash, fl_code* code, fl_error* error);
void fl_code_unload(fl_code* code);
/* Calls a kernel for tasks [begin, end); none where the range is empty. Denormal numbers are kept, rounding is to nearest and
 * nothing traps while it runs; the caller's modes come back afterwards. */
void fl_code_call(fl_function function, void* const* buffers, void* scratch, int64_t begin, int64_t end);
/* Null where there is none. */
fl_function fl_code_find(const fl_code* code, const char* entry);

/* How often its kernels met an index out of range since it was loaded, in whatever run. */
uint64_t fl_code_wrong_indices(const fl_code* code);

/* Returns 1 where this processor runs code for the target: "x86-64", "x86-64-v3", "x86-64-v4". */
int fl_cpu_runs(const char* target);

/* Returns 1 where the bytes have this SHA-256 of 64 lower-case hexadecimal digits. */
int fl_hash_is(const unsigned char* data, size_t bytes, const char* hash);
/* Writes 64 digits and a zero. */
void fl_hash_text(const unsigned char* data, size_t bytes, char* text);

#endif
