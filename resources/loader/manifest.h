/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_MANIFEST_H
#define FUSELAB_LOADER_MANIFEST_H

#include "fuselab_loader.h"
#include "json.h"

/* The part of a manifest that running needs, checked so that what follows it never leaves a buffer: every index is in range, every
 * size fits its place, nothing is read before it is written, and no two buffers that are needed at once overlap. */

typedef enum fl_role { FL_ROLE_IN, FL_ROLE_OUT, FL_ROLE_SCRATCH } fl_role;

typedef struct fl_argument {
  fl_role role;
  uint64_t bytes;
} fl_argument;

typedef struct fl_kernel {
  const char* file; /* 64 hexadecimal digits: the SHA-256 of its code, which is kernels/<file>.so */
  const char* entry;
  const char* target; /* "x86-64-v4" */
  const char* cause;  /* of its configuration: "tuned", "unconfirmed", "default" */
  int64_t tasks;
  int threads;
  uint64_t scratch_bytes; /* of each thread */
  fl_argument* arguments;
  size_t argument_count;
  int64_t baseline;          /* index of the kernel that does the same with fewer instructions; -1: there is none */
  const char* prepare_entry; /* null: it prepares nothing */
  int64_t prepare_tasks;
  uint64_t prepare_bytes;
  uint32_t* prepare_inputs; /* indices of arguments */
  size_t prepare_input_count;
} fl_kernel;

typedef enum fl_place { FL_PLACE_INPUT, FL_PLACE_OUTPUT, FL_PLACE_ARENA, FL_PLACE_WEIGHTS } fl_place;

typedef struct fl_value {
  fl_place place;
  uint64_t offset; /* bytes; of inputs and outputs the index among them */
  uint64_t bytes;
} fl_value;

typedef struct fl_step {
  uint32_t kernel;
  uint32_t* arguments; /* values, one for each argument of the kernel */
} fl_step;

typedef struct fl_plan {
  fl_model facts; /* what the caller sees */
  fl_tensor *inputs, *outputs;
  uint32_t* output_values; /* per output, the value that it is; FL_PLACE_OUTPUT with another index: a copy of that output */
  fl_value* values;
  size_t value_count;
  fl_step* steps;
  size_t step_count;
  uint64_t arena_bytes;
} fl_plan;

typedef struct fl_gpu_part {
  const char *file, *format; /* its code is kernels/<file>.<format> */
  fl_gpu_kernel facts;       /* what the caller sees */
  fl_gpu_parameter* parameters;
} fl_gpu_part;

typedef struct fl_manifest {
  fl_json json; /* owns all texts */
  uint64_t weight_bytes;
  const char* weight_hash;
  fl_kernel* kernels;
  size_t kernel_count;
  fl_plan* plans; /* the models, then the pieces that run by themselves */
  size_t model_count, plan_count;
  fl_gpu_part* gpu_kernels;
  size_t gpu_kernel_count;
  void** blocks; /* all other memory */
  size_t block_count;
} fl_manifest;

enum { kFlAlignment = 64 }; /* of every buffer that a kernel is given */

fl_status fl_manifest_read(const unsigned char* text, size_t bytes, fl_manifest* manifest, fl_error* error);
void fl_manifest_free(fl_manifest* manifest);

/* Checks the plan of one model against its kernels: see above. */
fl_status fl_plan_check(const fl_manifest* manifest, const fl_plan* plan, fl_error* error);

#endif
