/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_BUNDLE_H
#define FUSELAB_LOADER_BUNDLE_H

#include "code.h"
#include "manifest.h"
#include "zip.h"

typedef struct fl_loaded_kernel {
  fl_code* code; /* shared by kernels of one file */
  fl_function run, prepare;
} fl_loaded_kernel;

/* Where the parts of a bundle come from: a file's bytes, or a folder. */
typedef struct fl_source {
  const unsigned char* data;
  size_t bytes;
  int is_mapped; /* the bytes are a file's, and not the caller's */
  int is_folder;
  int folder; /* open until its entries are read; -1: none is */
} fl_source;

/* Weights in the order of a kernel. Plans of several extents share those that are alike. */
typedef struct fl_layout {
  void* memory;
  size_t bytes;
  size_t plan, step; /* the first that reads it */
} fl_layout;

struct fl_bundle {
  fl_source from;
  fl_zip zip;
  fl_manifest manifest;
  fl_code* codes;
  size_t code_count;
  fl_loaded_kernel* kernels;
  uint32_t* chosen; /* per kernel of the manifest, the one that runs in its place here: itself or its baseline */
  const unsigned char* weights;
  int checks_indices;
  unsigned char* own_manifest; /* a copy: the file may change */
  void* own_weights;           /* a copy, where the caller's memory is not aligned */
  void*** prepared;            /* [plan][step]: what a kernel prepared from weights; null: nothing, or from what only a run knows */
  fl_layout* layouts;          /* what `prepared` points to, each once */
  size_t layout_count;
};

/* Lays out weights for the kernels that want it. */
fl_status fl_prepare(fl_bundle* bundle, fl_error* error);
void fl_prepared_free(fl_bundle* bundle);
/* Returns memory of at least so many bytes at a multiple of 64, or null. It is freed by free(). */
void* fl_aligned(size_t bytes);
/* Returns the kernel that runs a step here. */
const fl_kernel* fl_kernel_of(const fl_bundle* bundle, const fl_step* step);
/* Counts launches for fl_hit_log(); `refused` of them is not used. */
void fl_count_launches(const fl_hits* launches);
/* Copies the code of kernels for GPUs and checks its hashes. Fails with FL_CORRUPT. */
fl_status fl_gpu_take_code(fl_bundle* bundle, fl_error* error);
void fl_gpu_free(fl_manifest* manifest);
/* Calls what fl_on_hit() was given. `kernel` may be null. */
void fl_tell_hit(fl_hit_kind kind, const char* model, const fl_kernel* kernel, const char* reason);

#endif
