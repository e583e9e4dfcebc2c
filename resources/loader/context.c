/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "fail.h"
#include "pool.h"

typedef struct bound_step {
  const fl_kernel* kernel;
  fl_function run, prepare;
  const fl_code* code;
  uint64_t wrong_before; /* indices out of range that the code had met before the run */
  void** arguments;      /* and behind them what the kernel prepared */
  int prepares_here;     /* its preparation reads what only a run knows, so that it is part of each run */
} bound_step;

struct fl_context {
  const fl_bundle* bundle;
  const fl_plan* plan;
  fl_parallel_for parallel_for;
  void* user;
  fl_pool* pool; /* null: the caller's parallel_for */
  bound_step* steps;
  void** arguments; /* of all steps */
  void **inputs, **outputs;
  unsigned char *arena, *scratch;
  size_t scratch_stride;
  fl_hits launches; /* in one run */
};

static fl_status allocate(fl_context* context, fl_error* error) {
  const fl_plan* const plan = context->plan;
  size_t arguments = 0, scratch = 0;
  for (size_t s = 0; s < plan->step_count; ++s) {
    const fl_kernel* const kernel = fl_kernel_of(context->bundle, &plan->steps[s]);
    arguments += kernel->argument_count + 1;
    if (kernel->scratch_bytes > scratch) scratch = kernel->scratch_bytes;
  }
  context->scratch_stride = (scratch / kFlAlignment + 2) * kFlAlignment; /* two threads never share a line */
  context->steps = calloc(plan->step_count + 1, sizeof *context->steps);
  context->arguments = calloc(arguments + 1, sizeof *context->arguments);
  context->inputs = calloc(plan->facts.input_count + 1, sizeof *context->inputs);
  context->outputs = calloc(plan->facts.output_count + 1, sizeof *context->outputs);
  context->arena = fl_aligned(plan->arena_bytes);
  context->scratch = fl_aligned(context->scratch_stride * (size_t)plan->facts.threads);
  if (context->steps == NULL || context->arguments == NULL || context->inputs == NULL || context->outputs == NULL ||
      context->arena == NULL || context->scratch == NULL)
    return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for a run, which takes %zu bytes", plan->facts.scratch_bytes);
  return FL_OK;
}

static fl_status bind_step(fl_context* context, size_t plan_index, size_t index, void** arguments, fl_error* error) {
  const fl_step* const step = &context->plan->steps[index];
  bound_step* const bound = &context->steps[index];
  const fl_loaded_kernel* const loaded = &context->bundle->kernels[context->bundle->chosen[step->kernel]];
  *bound = (bound_step){fl_kernel_of(context->bundle, step), loaded->run, loaded->prepare, loaded->code, 0, arguments, 0};
  for (size_t a = 0; a < bound->kernel->argument_count; ++a) {
    const fl_value* const value = &context->plan->values[step->arguments[a]];
    if (value->place == FL_PLACE_ARENA) arguments[a] = context->arena + value->offset;
    /* Kernels take their inputs as they take their outputs; the manifest was checked to let none write here. */
    if (value->place == FL_PLACE_WEIGHTS) arguments[a] = (void*)(uintptr_t)(context->bundle->weights + value->offset);
  }
  if (loaded->prepare != NULL) {
    void** const prepared = &arguments[bound->kernel->argument_count];
    *prepared = context->bundle->prepared[plan_index][index];
    bound->prepares_here = *prepared == NULL;
    if (bound->prepares_here) *prepared = fl_aligned(bound->kernel->prepare_bytes);
    if (*prepared == NULL) {
      bound->prepares_here = 0;
      return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for inputs in the order of their kernel");
    }
  }
  const int is_tuned = strcmp(bound->kernel->cause, "tuned") == 0;
  const int is_baseline = context->bundle->chosen[step->kernel] != step->kernel;
  ++*(is_baseline ? &context->launches.baseline : is_tuned ? &context->launches.tuned : &context->launches.untuned);
  fl_tell_hit(is_baseline ? FL_HIT_BASELINE
              : is_tuned  ? FL_HIT_TUNED
                          : FL_HIT_UNTUNED,
              context->plan->facts.name, bound->kernel,
              is_baseline ? "this CPU lacks what the tuned kernel needs"
              : is_tuned  ? ""
                          : bound->kernel->cause);
  return FL_OK;
}

fl_status fl_context_create(const fl_bundle* bundle, size_t model, fl_parallel_for parallel_for, void* user, fl_context** out,
                            fl_error* error) {
  if (bundle == NULL || out == NULL) return fl_fail(error, FL_INVALID_ARGUMENT, "fl_context_create() was given a null pointer");
  *out = NULL;
  if (model >= bundle->manifest.plan_count)
    return fl_fail(error, FL_NOT_FOUND, "there is no model %zu: the bundle has %zu and %zu pieces", model, fl_model_count(bundle),
                   fl_piece_count(bundle));
  fl_context* const context = calloc(1, sizeof *context);
  if (context == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for a context");
  context->bundle = bundle;
  context->plan = &bundle->manifest.plans[model];
  context->parallel_for = parallel_for;
  context->user = user;
  fl_status status = allocate(context, error);
  void** arguments = context->arguments;
  for (size_t s = 0; status == FL_OK && s < context->plan->step_count; ++s) {
    status = bind_step(context, model, s, arguments, error);
    arguments += fl_kernel_of(bundle, &context->plan->steps[s])->argument_count + 1;
  }
  if (status == FL_OK && parallel_for == NULL) {
    context->pool = fl_pool_create(context->plan->facts.threads);
    context->parallel_for = fl_pool_run;
    context->user = context->pool;
    if (context->pool == NULL) status = fl_fail(error, FL_OUT_OF_MEMORY, "no threads for a run");
  }
  if (status != FL_OK) {
    fl_context_destroy(context);
    return status;
  }
  *out = context;
  return fl_fail(error, FL_OK, "%s", "");
}

void fl_context_destroy(fl_context* context) {
  if (context == NULL) return;
  fl_pool_destroy(context->pool);
  for (size_t s = 0; context->steps != NULL && s < context->plan->step_count; ++s) {
    const bound_step* const step = &context->steps[s];
    if (step->prepares_here) free(step->arguments[step->kernel->argument_count]);
  }
  free(context->steps);
  free(context->arguments);
  free(context->inputs);
  free(context->outputs);
  free(context->arena);
  free(context->scratch);
  free(context);
}

static fl_status bind(fl_context* context, fl_place place, const char* name, void* data, size_t bytes, fl_error* error) {
  const fl_plan* const plan = context->plan;
  const int is_input = place == FL_PLACE_INPUT;
  const fl_tensor* const tensors = is_input ? plan->inputs : plan->outputs;
  const size_t count = is_input ? plan->facts.input_count : plan->facts.output_count;
  const char* const kind = is_input ? "input" : "output";
  size_t index = 0;
  while (index < count && strcmp(tensors[index].name, name) != 0) ++index;
  if (index == count)
    return fl_fail(error, FL_NOT_FOUND, "there is no %s '%.60s'; the first of %zu is '%.60s'", kind, name, count,
                   count == 0 ? "" : tensors[0].name);
  if (bytes != tensors[index].bytes)
    return fl_fail(error, FL_INVALID_ARGUMENT, "%s '%.60s' has %zu bytes (%s), %zu were given", kind, name, tensors[index].bytes,
                   plan->facts.binding[0] == '\0' ? "the only shape present" : plan->facts.binding, bytes);
  if (data == NULL || (uintptr_t)data % kFlAlignment != 0)
    return fl_fail(error, FL_INVALID_ARGUMENT, "the memory for %s '%.60s' is not at a multiple of %d bytes", kind, name,
                   kFlAlignment);
  (is_input ? context->inputs : context->outputs)[index] = data;
  for (size_t s = 0; s < plan->step_count; ++s) {
    bound_step* const step = &context->steps[s];
    for (size_t a = 0; a < step->kernel->argument_count; ++a) {
      const fl_value* const value = &plan->values[plan->steps[s].arguments[a]];
      if (value->place == place && value->offset == index) step->arguments[a] = data;
    }
  }
  return fl_fail(error, FL_OK, "%s", "");
}

fl_status fl_bind_input(fl_context* context, const char* name, const void* data, size_t bytes, fl_error* error) {
  if (context == NULL || name == NULL) return fl_fail(error, FL_INVALID_ARGUMENT, "fl_bind_input() was given a null pointer");
  return bind(context, FL_PLACE_INPUT, name, (void*)(uintptr_t)data, bytes, error);
}

fl_status fl_bind_output(fl_context* context, const char* name, void* data, size_t bytes, fl_error* error) {
  if (context == NULL || name == NULL) return fl_fail(error, FL_INVALID_ARGUMENT, "fl_bind_output() was given a null pointer");
  return bind(context, FL_PLACE_OUTPUT, name, data, bytes, error);
}

typedef struct launch {
  fl_function function;
  void* const* arguments;
  unsigned char* scratch;
  size_t stride;
  int64_t tasks;
  int parts;
} launch;

/* Tasks are handed out in equal runs, the same on every launch. */
static void run_part(void* data, int part) {
  const launch* const of = data;
  const int64_t begin = of->tasks * part / of->parts, end = of->tasks * (part + 1) / of->parts;
  fl_code_call(of->function, of->arguments, of->scratch == NULL ? NULL : of->scratch + (size_t)part * of->stride, begin, end);
}

static void run_step(fl_context* context, const bound_step* step) {
  launch of = {step->prepare, step->arguments, NULL, 0, step->kernel->prepare_tasks, step->kernel->threads};
  if (step->prepares_here) context->parallel_for(context->user, of.parts, run_part, &of);
  of.function = step->run;
  of.tasks = step->kernel->tasks;
  of.scratch = context->scratch;
  of.stride = context->scratch_stride;
  if (of.parts == 1) {
    run_part(&of, 0);
  } else {
    context->parallel_for(context->user, of.parts, run_part, &of);
  }
}

static const void* bytes_of(const fl_context* context, const fl_value* value) {
  switch (value->place) {
    case FL_PLACE_INPUT: return context->inputs[value->offset];
    case FL_PLACE_OUTPUT: return context->outputs[value->offset];
    case FL_PLACE_ARENA: return context->arena + value->offset;
    case FL_PLACE_WEIGHTS: break;
  }
  return context->bundle->weights + value->offset;
}

static fl_status check_indices(const fl_context* context, fl_error* error) {
  for (size_t s = 0; s < context->plan->step_count; ++s) {
    const bound_step* const step = &context->steps[s];
    const uint64_t met = fl_code_wrong_indices(step->code) - step->wrong_before;
    if (met == 0) continue;
    return fl_fail(error, FL_WRONG_INDEX,
                   "step %zu (kernel %.12s) met index %lld, which is out of range: there are %lld entries; met %llu %s", s,
                   step->kernel->file, (long long)__atomic_load_n(&step->code->wrong_index[1], __ATOMIC_RELAXED),
                   (long long)__atomic_load_n(&step->code->wrong_index[2], __ATOMIC_RELAXED), (unsigned long long)met,
                   met == 1 ? "time" : "times");
  }
  return FL_OK;
}

fl_status fl_run(fl_context* context, fl_error* error) {
  if (context == NULL) return fl_fail(error, FL_INVALID_ARGUMENT, "fl_run() was given a null pointer");
  const fl_plan* const plan = context->plan;
  for (size_t i = 0; i < plan->facts.input_count; ++i) {
    if (context->inputs[i] == NULL) return fl_fail(error, FL_NOT_BOUND, "input '%.60s' is not bound", plan->inputs[i].name);
  }
  for (size_t i = 0; i < plan->facts.output_count; ++i) {
    if (context->outputs[i] == NULL) return fl_fail(error, FL_NOT_BOUND, "output '%.60s' is not bound", plan->outputs[i].name);
  }
  const int checks = context->bundle->checks_indices;
  for (size_t s = 0; checks && s < plan->step_count; ++s)
    context->steps[s].wrong_before = fl_code_wrong_indices(context->steps[s].code);
  for (size_t s = 0; s < plan->step_count; ++s) run_step(context, &context->steps[s]);
  /* An output that is an input, a weight or another output in the model, at most in another shape. */
  for (size_t i = 0; i < plan->facts.output_count; ++i) {
    const void* const from = bytes_of(context, &plan->values[plan->output_values[i]]);
    if (from != context->outputs[i]) memcpy(context->outputs[i], from, plan->outputs[i].bytes);
  }
  fl_count_launches(&context->launches);
  if (checks && check_indices(context, error) != FL_OK) return FL_WRONG_INDEX;
  if (error != NULL) error->status = FL_OK;
  return FL_OK;
}
