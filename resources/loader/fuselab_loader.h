/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_H
#define FUSELAB_LOADER_H

#include <stddef.h>
#include <stdint.h>

/* Runs the tuned models of a bundle that `fuselab export` wrote: no engine, no database, no compiler; libc and dlopen only.
 *
 * Ownership: a bundle owns its code, its weights and every text and fl_tensor that it hands out; a context owns its scratch and
 * its threads. Contexts are destroyed before their bundle is closed. Memory that is bound stays the caller's.
 * Threads: after fl_open() a bundle may be used by any number of threads at once. A context is used by one thread at a time; each
 * concurrent run has a context of its own.
 * Errors: a function that can fail returns a status and, where `error` is not null, writes the same status and one line into it.
 * Sizes are bytes. Nothing is printed, and no environment variable is read. */

#ifdef __cplusplus
extern "C" {
#endif

#define FL_API __attribute__((visibility("default")))

typedef enum fl_status {
  FL_OK = 0,
  FL_INVALID_ARGUMENT = 1, /* what the caller passed does not fit: a size, an alignment, a key, another shape */
  FL_NOT_FOUND = 2,        /* no such file, model or tensor; the line names those that are present */
  FL_IO = 3,               /* the operating system refused */
  FL_OUT_OF_MEMORY = 4,
  FL_CORRUPT = 5,         /* the bytes do not hold together: cut, tampered with, or inconsistent */
  FL_UNSIGNED = 6,        /* nobody signed it, and FL_ALLOW_UNSIGNED was not given */
  FL_UNTRUSTED = 7,       /* it is signed, but by none of the trusted keys */
  FL_OTHER_VERSION = 8,   /* a bundle of another format than this loader reads */
  FL_UNSUPPORTED_CPU = 9, /* its kernels need instructions that this processor lacks */
  FL_LOAD_FAILED = 10,    /* the system's loader refused the code */
  FL_NOT_BOUND = 11,      /* an input or output of the model has no memory yet */
  FL_WRONG_INDEX = 12     /* FL_CHECK_INDICES was given, and an index was out of range: the outputs are not to be used */
} fl_status;

typedef struct fl_error {
  fl_status status;
  char message[256]; /* one line without a newline, always ended by a zero */
} fl_error;

/* Flags of fl_open(). */
enum {
  FL_ALLOW_UNSIGNED = 1, /* code is executed whoever made it: whoever can write the file then runs code in this process */
  FL_VERIFY_WEIGHTS = 2, /* hash the weights too. Manifest and code always are. It costs a pass over the weights */
  FL_CHECK_INDICES = 4   /* a run that met an index out of range fails; it costs a look at a counter after each run */
};

typedef struct fl_bundle fl_bundle;
typedef struct fl_context fl_context;

/* An input or output of a model. */
typedef struct fl_tensor {
  const char* name;
  const char* dtype; /* "f32", "bf16", "i64", … */
  size_t rank;
  const int64_t* shape;
  size_t bytes; /* packed, in row-major order */
} fl_tensor;

typedef struct fl_model {
  const char* name;
  const char* binding; /* the extents that it was exported with: "batch=1"; it runs at these alone */
  size_t input_count, output_count;
  const fl_tensor *inputs, *outputs;
  size_t scratch_bytes; /* that a context of it takes */
  int threads;          /* the most that any of its kernels was tuned for */
} fl_model;

/* Opens a bundle, a file or a folder. `trusted_keys`: `key_count` public keys, each 64 hexadecimal digits or a line of
 * `fuselab trust list` ("fuselab-ed25519 <digits> …"). A signature proves who made the code, not that it is safe.
 * The file, or the files of the folder, must not change while the bundle is open: the weights are read where they lie. */
FL_API fl_status fl_open(const char* path, const char* const* trusted_keys, size_t key_count, unsigned flags, fl_bundle** bundle,
                         fl_error* error);
/* Does the same with a bundle in memory, which must stay as it is until fl_close(). */
FL_API fl_status fl_open_memory(const void* data, size_t bytes, const char* const* trusted_keys, size_t key_count, unsigned flags,
                                fl_bundle** bundle, fl_error* error);
/* Null is allowed. */
FL_API void fl_close(fl_bundle* bundle);

FL_API size_t fl_model_count(const fl_bundle* bundle);
/* Pieces that run by themselves, all their operands given. Their indices follow those of the models: the first piece is model
 * fl_model_count() for fl_model_at() and fl_context_create(). What a kernel lays out of an operand is then done in each run. */
FL_API size_t fl_piece_count(const fl_bundle* bundle);
/* Null for an index that there is not. */
FL_API const fl_model* fl_model_at(const fl_bundle* bundle, size_t index);
/* Finds a model by name and binding. `binding` null: any, as long as there is one alone.
 * Fails with FL_NOT_FOUND, naming the models that are present. */
FL_API fl_status fl_find_model(const fl_bundle* bundle, const char* name, const char* binding, size_t* index, fl_error* error);

/* Finds the model whose inputs are like those given. A bundle may hold one model at several extents, which share their weights.
 * `given`: inputs by name. Of each, `shape` is compared where it is not null, and `bytes` where it is not 0; an input that is left
 * out may have any shape. `name` null: any model. Fails with FL_NOT_FOUND where none or several fit, naming the extents that are
 * present. */
FL_API fl_status fl_find_fitting(const fl_bundle* bundle, const char* name, const fl_tensor* given, size_t count, size_t* index,
                                 fl_error* error);

/* Finds a piece by name, for fl_context_create(). */
FL_API fl_status fl_find_piece(const fl_bundle* bundle, const char* name, size_t* index, fl_error* error);

typedef enum fl_gpu_kind {
  FL_GPU_IN,  /* the address of a buffer that the kernel reads */
  FL_GPU_OUT, /* the address of a buffer that it writes */
  FL_GPU_NULL /* a null pointer */
} fl_gpu_kind;

typedef struct fl_gpu_parameter {
  fl_gpu_kind kind;
  const char *name, *type; /* of the piece's operand: "x", "f32[8,768]"; empty for FL_GPU_NULL */
  size_t bytes, alignment; /* of the buffer, in the GPU's memory */
} fl_gpu_parameter;

/* A piece as a kernel for a GPU. The caller loads `code` (cuModuleLoadData(), hipModuleLoadData()) and launches `entry` once. */
typedef struct fl_gpu_kernel {
  const char* piece;  /* as fl_find_piece() knows it */
  const char* target; /* "sm_90a", "gfx942" */
  const char* entry;
  const char* cause; /* of its configuration: "unconfirmed" where it was measured, perhaps on another GPU, or "default" */
  const void* code;  /* what the manifest vouches for */
  size_t code_bytes;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes; /* dynamic shared memory of each block; CUDA wants above 48 KiB allowed by cuFuncSetAttribute() first */
  const fl_gpu_parameter* parameters; /* of the entry, in order */
  size_t parameter_count;
} fl_gpu_kernel;

/* Kernels that `fuselab export --target` added, beside those for processors. */
FL_API size_t fl_gpu_kernel_count(const fl_bundle* bundle);
/* Null for an index that there is not. What it returns lives as long as the bundle. */
FL_API const fl_gpu_kernel* fl_gpu_kernel_at(const fl_bundle* bundle, size_t index);

/* Calls work(data, 0) … work(data, count - 1), in any order and on any threads, and returns when all have returned. */
typedef void (*fl_work)(void* data, int index);
typedef void (*fl_parallel_for)(void* user, int count, fl_work work, void* data);

/* Makes a context for one model: all memory that its runs need. `parallel_for` null: the context makes threads of its own, which
 * wait briefly after each kernel and then sleep. `user` is passed to `parallel_for`. */
FL_API fl_status fl_context_create(const fl_bundle* bundle, size_t model, fl_parallel_for parallel_for, void* user,
                                   fl_context** context, fl_error* error);
/* Null is allowed. */
FL_API void fl_context_destroy(fl_context* context);

/* Gives memory to an input or output, by name; it stays bound for all runs until it is bound again. `bytes` must be the tensor's
 * own size, and `data` a multiple of 64 (aligned_alloc(64, …)). No output may overlap an input or another output. */
FL_API fl_status fl_bind_input(fl_context* context, const char* name, const void* data, size_t bytes, fl_error* error);
FL_API fl_status fl_bind_output(fl_context* context, const char* name, void* data, size_t bytes, fl_error* error);

/* Runs the model once on what is bound: no allocation, no lock. Denormal numbers are kept and rounding is to nearest while kernels
 * run, as when they were measured; the caller's modes come back afterwards.
 * Indices among the inputs may be anything: no kernel reads or writes outside of its tensors. One that is out of range is counted,
 * and the nearest entry is taken; with FL_CHECK_INDICES the run then fails with FL_WRONG_INDEX and names it. Runs of one bundle
 * share the counters: a run fails for an index that another one met at the same time, too. */
FL_API fl_status fl_run(fl_context* context, fl_error* error);

/* Returns how often kernels of the bundle met an index out of range since it was opened. A kernel may meet one several times in a
 * run. Bundles that were exported before kernels counted have 0. */
FL_API uint64_t fl_wrong_index_count(const fl_bundle* bundle);

/* Counts of this process since it began: the proof that the tuned configuration was used. Kernels are counted per launch. */
typedef struct fl_hits {
  uint64_t tuned;    /* launches of a kernel in its measured configuration */
  uint64_t untuned;  /* launches of a kernel in a default or unconfirmed configuration */
  uint64_t baseline; /* launches of a baseline build, where the processor lacks what the tuned one needs */
  uint64_t refused;  /* bundles that were not opened */
} fl_hits;
FL_API void fl_hit_log(fl_hits* hits);

typedef enum fl_hit_kind { FL_HIT_TUNED, FL_HIT_UNTUNED, FL_HIT_BASELINE, FL_HIT_REFUSED } fl_hit_kind;
/* What a kernel of a context will run as, or a bundle that was refused; the texts live as long as the call. */
typedef struct fl_hit {
  fl_hit_kind kind;
  const char *model, *kernel, *target; /* empty for a refused bundle */
  const char* reason;                  /* why it is not tuned: "default", "unconfirmed", …; or the refusal's line */
} fl_hit;
typedef void (*fl_hit_callback)(void* user, const fl_hit* hit);
/* Is called once per step when a context is made and once per bundle that is refused, by the thread that does so; never in a run.
 * One for the process; set it before bundles are opened, null removes it. */
FL_API void fl_on_hit(fl_hit_callback callback, void* user);

FL_API const char* fl_status_name(fl_status status); /* "corrupt" */

#ifdef __cplusplus
}
#endif
#endif
