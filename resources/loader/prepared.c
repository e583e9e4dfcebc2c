/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "fail.h"
#include "pool.h"

/* Returns whether all that the step's kernel prepares from lies in the weights. */
static int prepares_from_weights(const fl_plan* plan, const fl_step* step, const fl_kernel* kernel) {
  for (size_t i = 0; i < kernel->prepare_input_count; ++i) {
    if (plan->values[step->arguments[kernel->prepare_inputs[i]]].place != FL_PLACE_WEIGHTS) return 0;
  }
  return 1;
}

/* Threads are made when they are first needed. */
typedef struct workers {
  fl_pool* pool;
  int threads;
} workers;

typedef struct preparation {
  fl_function function;
  void* const* arguments;
  int64_t tasks;
  int parts;
} preparation;

static void prepare_part(void* data, int part) {
  const preparation* const of = data;
  const int64_t begin = of->tasks * part / of->parts, end = of->tasks * (part + 1) / of->parts;
  fl_code_call(of->function, of->arguments, NULL, begin, end);
}

static fl_status lay_out(const fl_bundle* bundle, const fl_plan* plan, const fl_step* step, workers* by, void** memory,
                         fl_error* error) {
  const fl_kernel* const kernel = fl_kernel_of(bundle, step);
  void** const arguments = calloc(kernel->argument_count + 1, sizeof *arguments);
  *memory = fl_aligned(kernel->prepare_bytes);
  if (arguments == NULL || *memory == NULL) {
    free(arguments);
    free(*memory);
    *memory = NULL;
    return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for weights in the order of their kernel");
  }
  /* Layouts are compared, and a kernel may leave padding as it is. */
  if (bundle->manifest.model_count > 1) memset(*memory, 0, kernel->prepare_bytes);
  for (size_t i = 0; i < kernel->argument_count; ++i) {
    const fl_value* const value = &plan->values[step->arguments[i]];
    if (value->place == FL_PLACE_WEIGHTS) arguments[i] = (void*)(uintptr_t)(bundle->weights + value->offset);
  }
  arguments[kernel->argument_count] = *memory;
  if (by->pool == NULL) by->pool = fl_pool_create(by->threads);
  preparation of = {bundle->kernels[bundle->chosen[step->kernel]].prepare, arguments, kernel->prepare_tasks, by->threads};
  if (by->pool == NULL) {
    of.parts = 1;
    prepare_part(&of, 0);
  } else {
    fl_pool_run(by->pool, by->threads, prepare_part, &of);
  }
  free(arguments);
  return FL_OK;
}

static uint64_t weight_of(const fl_plan* plan, const fl_step* step, const fl_kernel* kernel, size_t input) {
  return plan->values[step->arguments[kernel->prepare_inputs[input]]].offset;
}

/* Returns the first layout from `begin` on that was made of the step's weights and has the size of its own; the count where there
 * is none. */
static size_t find_layout(const fl_bundle* bundle, size_t begin, const fl_plan* plan, const fl_step* step) {
  const fl_kernel* const kernel = fl_kernel_of(bundle, step);
  size_t at = begin;
  for (; at < bundle->layout_count; ++at) {
    const fl_layout* const layout = &bundle->layouts[at];
    const fl_plan* const its_plan = &bundle->manifest.plans[layout->plan];
    const fl_step* const its_step = &its_plan->steps[layout->step];
    const fl_kernel* const its_kernel = fl_kernel_of(bundle, its_step);
    int alike = layout->bytes == kernel->prepare_bytes && its_kernel->prepare_input_count == kernel->prepare_input_count;
    for (size_t i = 0; alike && i < kernel->prepare_input_count; ++i)
      alike = weight_of(its_plan, its_step, its_kernel, i) == weight_of(plan, step, kernel, i);
    if (alike) break;
  }
  return at;
}

/* Kernels of several extents that lay out one weight alike read one layout: they are compared byte by byte. */
static fl_status prepare_step(fl_bundle* bundle, size_t plan_index, size_t index, workers* by, fl_error* error) {
  const fl_plan* const plan = &bundle->manifest.plans[plan_index];
  const fl_step* const step = &plan->steps[index];
  const fl_kernel* const kernel = fl_kernel_of(bundle, step);
  if (kernel->prepare_entry == NULL || !prepares_from_weights(plan, step, kernel)) return FL_OK;
  void* memory = NULL;
  const fl_status status = lay_out(bundle, plan, step, by, &memory, error);
  if (status != FL_OK) return status;
  size_t at = find_layout(bundle, 0, plan, step);
  while (at < bundle->layout_count && memcmp(bundle->layouts[at].memory, memory, kernel->prepare_bytes) != 0)
    at = find_layout(bundle, at + 1, plan, step);
  if (at < bundle->layout_count) {
    free(memory);
  } else {
    bundle->layouts[bundle->layout_count++] = (fl_layout){memory, kernel->prepare_bytes, plan_index, index};
  }
  bundle->prepared[plan_index][index] = bundle->layouts[at].memory;
  return FL_OK;
}

static fl_status prepare_steps(fl_bundle* bundle, workers* by, fl_error* error) {
  const fl_manifest* const manifest = &bundle->manifest;
  size_t steps = 0;
  for (size_t p = 0; p < manifest->plan_count; ++p) steps += manifest->plans[p].step_count;
  bundle->prepared = calloc(manifest->plan_count + 1, sizeof *bundle->prepared);
  bundle->layouts = calloc(steps + 1, sizeof *bundle->layouts);
  if (bundle->prepared == NULL || bundle->layouts == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the models");
  for (size_t p = 0; p < manifest->plan_count; ++p) {
    const size_t count = manifest->plans[p].step_count;
    bundle->prepared[p] = calloc(count + 1, sizeof *bundle->prepared[p]);
    if (bundle->prepared[p] == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the models");
    for (size_t s = 0; s < count; ++s) {
      const fl_status status = prepare_step(bundle, p, s, by, error);
      if (status != FL_OK) return status;
    }
  }
  return FL_OK;
}

fl_status fl_prepare(fl_bundle* bundle, fl_error* error) {
  static const long most = 8;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  workers by = {NULL, (int)(processors < 1 ? 1 : processors > most ? most : processors)};
  const fl_status status = prepare_steps(bundle, &by, error);
  fl_pool_destroy(by.pool);
  return status;
}

void fl_prepared_free(fl_bundle* bundle) {
  for (size_t i = 0; i < bundle->layout_count; ++i) free(bundle->layouts[i].memory);
  free(bundle->layouts);
  for (size_t p = 0; bundle->prepared != NULL && p < bundle->manifest.plan_count; ++p) free(bundle->prepared[p]);
  free(bundle->prepared);
}
