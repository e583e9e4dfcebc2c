/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* Far above every real model, and low enough that no sum of sizes overflows. */
enum { kMostThreads = 1024, kMostRank = 16 };
static const int64_t kMostBytes = (int64_t)1 << 46, kMostItems = 1 << 20;

/* Reads a manifest; the first problem stays, and everything after it returns nothing. */
typedef struct maker {
  fl_manifest* manifest;
  fl_error* error;
  fl_status status;
} maker;

static void complain(maker* m, const char* where, const char* what) {
  if (m->status == FL_OK) m->status = fl_fail(m->error, FL_CORRUPT, "its manifest is inconsistent: '%s' %s", where, what);
}

static void* room_for(maker* m, size_t count, size_t size) {
  void* const block = calloc(count + 1, size); /* never of no bytes */
  void** const blocks = block == NULL ? NULL : realloc(m->manifest->blocks, (m->manifest->block_count + 1) * sizeof *blocks);
  if (blocks == NULL) {
    free(block);
    if (m->status == FL_OK) m->status = fl_fail(m->error, FL_OUT_OF_MEMORY, "no memory for the manifest");
    return NULL;
  }
  blocks[m->manifest->block_count++] = block;
  m->manifest->blocks = blocks;
  return block;
}

static const fl_json_node* member(maker* m, const fl_json_node* object, const char* key, fl_json_kind kind) {
  const fl_json_node* const node = m->status == FL_OK ? fl_json_member(&m->manifest->json, object, key) : NULL;
  if (node == NULL || node->kind != kind) {
    complain(m, key, "is missing or of another type");
    return NULL;
  }
  return node;
}

static int64_t integer_of(maker* m, const fl_json_node* node, const char* where, int64_t least, int64_t most) {
  char* end = NULL;
  errno = 0;
  const long long value = node != NULL && node->kind == FL_JSON_NUMBER ? strtoll(node->text, &end, 10) : 0;
  if (end == NULL || *end != '\0' || errno != 0 || value < least || value > most) {
    complain(m, where, "is out of range");
    return least;
  }
  return value;
}

static int64_t integer(maker* m, const fl_json_node* object, const char* key, int64_t least, int64_t most) {
  return integer_of(m, member(m, object, key, FL_JSON_NUMBER), key, least, most);
}

static const char* text(maker* m, const fl_json_node* object, const char* key) {
  const fl_json_node* const node = member(m, object, key, FL_JSON_STRING);
  return node == NULL ? "" : node->text;
}

static const char* hash(maker* m, const fl_json_node* object, const char* key) {
  const char* const digits = text(m, object, key);
  if (strlen(digits) != 64 || strspn(digits, "0123456789abcdef") != 64) complain(m, key, "is no SHA-256");
  return digits;
}

static const fl_json_node* list(maker* m, const fl_json_node* object, const char* key, size_t* count) {
  const fl_json_node* const node = member(m, object, key, FL_JSON_ARRAY);
  *count = node == NULL ? 0 : node->children;
  return node;
}

/* Iterates a list that may be missing because of an earlier problem. */
static const fl_json_node* first_of(maker* m, const fl_json_node* array) {
  return array == NULL || m->status != FL_OK ? NULL : fl_json_first(&m->manifest->json, array);
}

static const fl_json_node* next_of(maker* m, const fl_json_node* node) {
  return m->status != FL_OK ? NULL : fl_json_next(&m->manifest->json, node);
}

static uint32_t* indices(maker* m, const fl_json_node* object, const char* key, size_t below, size_t* count) {
  const fl_json_node* const array = list(m, object, key, count);
  uint32_t* const all = room_for(m, *count, sizeof *all);
  size_t i = 0;
  for (const fl_json_node* node = first_of(m, array); node != NULL && all != NULL; node = next_of(m, node))
    all[i++] = (uint32_t)integer_of(m, node, key, 0, (int64_t)below - 1);
  return all;
}

static void read_argument(maker* m, const fl_json_node* node, fl_argument* argument) {
  const char* const role = text(m, node, "role");
  if (strcmp(role, "in") == 0) {
    argument->role = FL_ROLE_IN;
  } else if (strcmp(role, "out") == 0) {
    argument->role = FL_ROLE_OUT;
  } else if (strcmp(role, "scratch") == 0) {
    argument->role = FL_ROLE_SCRATCH;
  } else {
    complain(m, "role", "is none that this loader knows");
  }
  argument->bytes = (uint64_t)integer(m, node, "bytes", 0, kMostBytes);
  const int64_t alignment = integer(m, node, "alignment", 1, kFlAlignment);
  if ((alignment & (alignment - 1)) != 0) complain(m, "alignment", "is no power of two");
}

static void read_preparation(maker* m, const fl_json_node* node, fl_kernel* kernel) {
  kernel->prepare_entry = text(m, node, "entry");
  kernel->prepare_tasks = integer(m, node, "tasks", 0, INT64_MAX / kMostThreads);
  kernel->prepare_bytes = (uint64_t)integer(m, node, "bytes", 1, kMostBytes);
  kernel->prepare_inputs = indices(m, node, "inputs", kernel->argument_count, &kernel->prepare_input_count);
  for (size_t i = 0; m->status == FL_OK && i < kernel->prepare_input_count; ++i) {
    if (kernel->arguments[kernel->prepare_inputs[i]].role != FL_ROLE_IN) complain(m, "preparation", "reads what is no input");
  }
}

static void read_kernel(maker* m, const fl_json_node* node, fl_kernel* kernel) {
  kernel->file = hash(m, node, "file");
  kernel->entry = text(m, node, "entry");
  kernel->target = text(m, node, "target");
  kernel->cause = text(m, node, "configured");
  kernel->tasks = integer(m, node, "tasks", 0, INT64_MAX / kMostThreads); /* the share of a thread is a product of both */
  kernel->threads = (int)integer(m, node, "threads", 1, kMostThreads);
  kernel->scratch_bytes = (uint64_t)integer(m, node, "scratch_bytes", 0, kMostBytes);
  const fl_json_node* const arguments = list(m, node, "arguments", &kernel->argument_count);
  kernel->arguments = room_for(m, kernel->argument_count, sizeof *kernel->arguments);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, arguments); each != NULL; each = next_of(m, each))
    read_argument(m, each, &kernel->arguments[i++]);
  kernel->baseline = -1;
  if (m->status == FL_OK && fl_json_member(&m->manifest->json, node, "baseline") != NULL)
    kernel->baseline = integer(m, node, "baseline", 0, (int64_t)m->manifest->kernel_count - 1);
  const fl_json_node* const preparation = m->status == FL_OK ? fl_json_member(&m->manifest->json, node, "preparation") : NULL;
  if (preparation != NULL) read_preparation(m, preparation, kernel);
}

/* A step runs either of the two on the same buffers. */
static void check_baseline(maker* m, const fl_kernel* kernel) {
  if (m->status != FL_OK || kernel->baseline < 0) return;
  const fl_kernel* const baseline = &m->manifest->kernels[kernel->baseline];
  int alike = baseline->argument_count == kernel->argument_count;
  for (size_t a = 0; alike && a < kernel->argument_count; ++a)
    alike = baseline->arguments[a].role == kernel->arguments[a].role && baseline->arguments[a].bytes <= kernel->arguments[a].bytes;
  if (!alike) complain(m, "baseline", "is called in another way than its kernel");
}

static void read_tensor(maker* m, const fl_json_node* node, fl_tensor* tensor) {
  tensor->name = text(m, node, "name");
  tensor->dtype = text(m, node, "dtype");
  tensor->bytes = (size_t)integer(m, node, "bytes", 0, kMostBytes);
  const fl_json_node* const shape = list(m, node, "shape", &tensor->rank);
  if (tensor->rank > kMostRank) complain(m, "shape", "has too many dimensions");
  int64_t* const extents = room_for(m, tensor->rank, sizeof *extents);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, shape); each != NULL; each = next_of(m, each))
    extents[i++] = integer_of(m, each, "shape", 0, kMostBytes);
  tensor->shape = extents;
}

static fl_tensor* read_tensors(maker* m, const fl_json_node* model, const char* key, size_t* count) {
  const fl_json_node* const array = list(m, model, key, count);
  fl_tensor* const tensors = room_for(m, *count, sizeof *tensors);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, array); each != NULL && tensors != NULL; each = next_of(m, each)) {
    read_tensor(m, each, &tensors[i]);
    for (size_t before = 0; m->status == FL_OK && before < i; ++before) {
      if (strcmp(tensors[before].name, tensors[i].name) == 0) complain(m, key, "has a name twice");
    }
    ++i;
  }
  return tensors;
}

static void read_value(maker* m, const fl_json_node* node, fl_plan* plan, fl_value* value) {
  static const char* const places[] = {"input", "output", "arena", "weights"};
  const char* const place = text(m, node, "place");
  size_t found = 0;
  while (found < 4 && strcmp(places[found], place) != 0) ++found;
  if (found == 4) {
    complain(m, "place", "is none that this loader knows");
    return;
  }
  value->place = (fl_place)found;
  value->bytes = (uint64_t)integer(m, node, "bytes", 0, kMostBytes);
  value->offset = (uint64_t)integer(m, node, "offset", 0, kMostBytes);
  if (value->place == FL_PLACE_INPUT || value->place == FL_PLACE_OUTPUT) {
    const int is_input = value->place == FL_PLACE_INPUT;
    const size_t count = is_input ? plan->facts.input_count : plan->facts.output_count;
    const fl_tensor* const tensors = is_input ? plan->inputs : plan->outputs;
    if (value->offset >= count || tensors[value->offset].bytes != value->bytes) complain(m, "values", "does not fit its tensor");
    return;
  }
  const uint64_t room = value->place == FL_PLACE_ARENA ? plan->arena_bytes : m->manifest->weight_bytes;
  if (value->offset % kFlAlignment != 0 || value->bytes > room || value->offset > room - value->bytes)
    complain(m, "values", "has one that is not inside its memory, or not aligned");
}

static void read_outputs(maker* m, const fl_json_node* model, fl_plan* plan) {
  plan->output_values = room_for(m, plan->facts.output_count, sizeof *plan->output_values);
  size_t i = 0, count = 0;
  const fl_json_node* const array = list(m, model, "outputs", &count);
  for (const fl_json_node* each = first_of(m, array); each != NULL && plan->output_values != NULL; each = next_of(m, each)) {
    plan->output_values[i] = (uint32_t)integer(m, each, "value", 0, (int64_t)plan->value_count - 1);
    if (m->status == FL_OK && plan->values[plan->output_values[i]].bytes != plan->outputs[i].bytes)
      complain(m, "outputs", "has one of another size than its value");
    ++i;
  }
}

static void take_threads(const maker* m, uint32_t index, fl_plan* plan) {
  const fl_kernel* const kernel = &m->manifest->kernels[index];
  if (kernel->threads > plan->facts.threads) plan->facts.threads = kernel->threads;
  if (kernel->baseline >= 0 && m->manifest->kernels[kernel->baseline].threads > plan->facts.threads)
    plan->facts.threads = m->manifest->kernels[kernel->baseline].threads;
}

static void read_model(maker* m, const fl_json_node* model, fl_plan* plan) {
  plan->facts.name = text(m, model, "name");
  plan->facts.binding = text(m, model, "binding");
  plan->inputs = read_tensors(m, model, "inputs", &plan->facts.input_count);
  plan->outputs = read_tensors(m, model, "outputs", &plan->facts.output_count);
  plan->facts.inputs = plan->inputs;
  plan->facts.outputs = plan->outputs;
  plan->arena_bytes = (uint64_t)integer(m, model, "arena_bytes", 0, kMostBytes);
  const fl_json_node* const values = list(m, model, "values", &plan->value_count);
  if ((int64_t)plan->value_count > kMostItems) complain(m, "values", "has too many");
  plan->values = room_for(m, plan->value_count, sizeof *plan->values);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, values); each != NULL; each = next_of(m, each))
    read_value(m, each, plan, &plan->values[i++]);
  read_outputs(m, model, plan);
  const fl_json_node* const steps = list(m, model, "steps", &plan->step_count);
  plan->steps = room_for(m, plan->step_count, sizeof *plan->steps);
  i = 0;
  for (const fl_json_node* each = first_of(m, steps); each != NULL; each = next_of(m, each)) {
    fl_step* const step = &plan->steps[i++];
    size_t count = 0;
    step->kernel = (uint32_t)integer(m, each, "kernel", 0, (int64_t)m->manifest->kernel_count - 1);
    step->arguments = indices(m, each, "arguments", plan->value_count, &count);
    if (m->status == FL_OK && count != m->manifest->kernels[step->kernel].argument_count)
      complain(m, "arguments", "has more or fewer than the kernel takes");
    if (m->status == FL_OK) take_threads(m, step->kernel, plan);
  }
  if (m->status == FL_OK) m->status = fl_plan_check(m->manifest, plan, m->error);
}

static void read_plan(maker* m, const fl_json_node* node) {
  fl_plan* const plan = &m->manifest->plans[m->manifest->plan_count++];
  plan->facts.threads = 1;
  read_model(m, node, plan);
}

static void read_extents(maker* m, const fl_json_node* node, const char* key, uint32_t* extents) {
  size_t count = 0, i = 0;
  const fl_json_node* const array = list(m, node, key, &count);
  if (count != 3) complain(m, key, "has other than three numbers");
  for (const fl_json_node* each = first_of(m, array); each != NULL; each = next_of(m, each))
    extents[i++] = (uint32_t)integer_of(m, each, key, 1, INT32_MAX);
}

static void read_gpu_parameter(maker* m, const fl_json_node* node, fl_gpu_parameter* parameter) {
  const char* const role = text(m, node, "role");
  const int is_in = strcmp(role, "in") == 0, is_out = strcmp(role, "out") == 0;
  if (!is_in && !is_out && strcmp(role, "null") != 0) complain(m, "role", "is none that this loader knows");
  parameter->kind = is_in ? FL_GPU_IN : is_out ? FL_GPU_OUT : FL_GPU_NULL;
  parameter->name = text(m, node, "name");
  parameter->type = text(m, node, "type");
  parameter->bytes = (size_t)integer(m, node, "bytes", 0, kMostBytes);
  parameter->alignment = (size_t)integer(m, node, "alignment", 1, kMostBytes);
}

static void read_gpu_kernel(maker* m, const fl_json_node* node, fl_gpu_part* part) {
  part->file = hash(m, node, "file");
  part->format = text(m, node, "format");
  if (strcmp(part->format, "cubin") != 0 && strcmp(part->format, "hsaco") != 0)
    complain(m, "format", "is none that this loader knows");
  fl_gpu_kernel* const facts = &part->facts;
  facts->piece = text(m, node, "piece");
  facts->target = text(m, node, "target");
  facts->entry = text(m, node, "entry");
  facts->cause = text(m, node, "configured");
  read_extents(m, node, "grid", facts->grid);
  read_extents(m, node, "block", facts->block);
  facts->shared_bytes = (uint32_t)integer(m, node, "shared_bytes", 0, INT32_MAX);
  const fl_json_node* const parameters = list(m, node, "parameters", &facts->parameter_count);
  part->parameters = room_for(m, facts->parameter_count, sizeof *part->parameters);
  facts->parameters = part->parameters;
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, parameters); each != NULL; each = next_of(m, each))
    read_gpu_parameter(m, each, &part->parameters[i++]);
}

/* Bundles without kernels for a GPU lack the member. */
static void read_gpu_kernels(maker* m, const fl_json_node* root) {
  fl_manifest* const manifest = m->manifest;
  if (m->status != FL_OK || fl_json_member(&manifest->json, root, "gpu_kernels") == NULL) return;
  const fl_json_node* const kernels = list(m, root, "gpu_kernels", &manifest->gpu_kernel_count);
  manifest->gpu_kernels = room_for(m, manifest->gpu_kernel_count, sizeof *manifest->gpu_kernels);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, kernels); each != NULL; each = next_of(m, each))
    read_gpu_kernel(m, each, &manifest->gpu_kernels[i++]);
}

static void read_all(maker* m) {
  fl_manifest* const manifest = m->manifest;
  const fl_json_node* const root = &manifest->json.nodes[0];
  const fl_json_node* const schema = fl_json_member(&manifest->json, root, "schema");
  if (schema == NULL || schema->kind != FL_JSON_STRING) {
    complain(m, "schema", "is missing or of another type");
  } else if (strcmp(schema->text, "fuselab.bundle/1") != 0) {
    m->status = fl_fail(m->error, FL_OTHER_VERSION, "the bundle is '%.60s', this loader reads fuselab.bundle/1", schema->text);
  }
  const fl_json_node* const weights = member(m, root, "weights", FL_JSON_OBJECT);
  manifest->weight_bytes = (uint64_t)integer(m, weights, "bytes", 0, kMostBytes);
  manifest->weight_hash = hash(m, weights, "sha256");
  const fl_json_node* const kernels = list(m, root, "kernels", &manifest->kernel_count);
  manifest->kernels = room_for(m, manifest->kernel_count, sizeof *manifest->kernels);
  size_t i = 0;
  for (const fl_json_node* each = first_of(m, kernels); each != NULL; each = next_of(m, each))
    read_kernel(m, each, &manifest->kernels[i++]);
  for (i = 0; m->status == FL_OK && i < manifest->kernel_count; ++i) check_baseline(m, &manifest->kernels[i]);
  size_t piece_count = 0;
  const fl_json_node* const models = list(m, root, "models", &manifest->model_count);
  const fl_json_node* const pieces = list(m, root, "pieces", &piece_count);
  manifest->plans = room_for(m, manifest->model_count + piece_count, sizeof *manifest->plans);
  for (const fl_json_node* each = first_of(m, models); each != NULL; each = next_of(m, each)) read_plan(m, each);
  for (const fl_json_node* each = first_of(m, pieces); each != NULL; each = next_of(m, each)) {
    const fl_json_node* const run = fl_json_member(&manifest->json, each, "run");
    if (run != NULL) read_plan(m, run);
  }
  read_gpu_kernels(m, root);
}

fl_status fl_manifest_read(const unsigned char* bytes, size_t size, fl_manifest* manifest, fl_error* error) {
  memset(manifest, 0, sizeof *manifest);
  const fl_status parsed = fl_json_parse((const char*)bytes, size, &manifest->json, error);
  if (parsed != FL_OK) return parsed;
  maker m = {manifest, error, FL_OK};
  read_all(&m);
  if (m.status != FL_OK) fl_manifest_free(manifest);
  return m.status;
}

void fl_manifest_free(fl_manifest* manifest) {
  for (size_t i = 0; i < manifest->block_count; ++i) free(manifest->blocks[i]);
  free(manifest->blocks);
  fl_json_free(&manifest->json);
  memset(manifest, 0, sizeof *manifest);
}
