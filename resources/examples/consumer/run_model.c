/* SPDX-License-Identifier: Apache-2.0 */
/* run_model BUNDLE KEY [FILE...]: runs the model once at the extents that fit the files, which hold its inputs, packed. Outputs go
 * to output-0.bin, ... */
#include <fuselab_loader.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 16 };

static void* aligned(size_t bytes) {
  return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

static void* read_file(const char* path, size_t* bytes) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
  *bytes = (size_t)ftell(file);
  rewind(file);
  void* const data = aligned(*bytes);
  const size_t done = fread(data, 1, *bytes, file);
  return fclose(file) == 0 && done == *bytes ? data : NULL;
}

static int write_file(const char* path, const void* data, size_t bytes) {
  FILE* const file = fopen(path, "wb");
  if (file == NULL) return 0;
  const size_t written = fwrite(data, 1, bytes, file);
  return fclose(file) == 0 && written == bytes;
}

int main(int argc, char** argv) {
  fl_error error = {FL_INVALID_ARGUMENT, "usage: run_model BUNDLE KEY [FILE...]"};
  fl_bundle* bundle = NULL;
  fl_context* context = NULL;
  size_t index = 0;
  fl_status status = argc > 2 ? fl_open(argv[1], (const char* const*)argv + 2, 1, 0, &bundle, &error) : FL_INVALID_ARGUMENT;
  const size_t files = argc > 2 ? (size_t)argc - 3 : 0;
  fl_tensor given[kMost] = {{0}};
  void *inputs[kMost] = {NULL}, *outputs[kMost] = {NULL};
  for (size_t i = 0; status == FL_OK && i < files; ++i) {
    if (i >= kMost || i >= fl_model_at(bundle, 0)->input_count) return 1;
    given[i].name = fl_model_at(bundle, 0)->inputs[i].name; /* at other extents they have the same names */
    inputs[i] = read_file(argv[i + 3], &given[i].bytes);
    if (inputs[i] == NULL) return 1;
  }
  if (status == FL_OK) status = fl_find_fitting(bundle, NULL, given, files, &index, &error);
  if (status == FL_OK) status = fl_context_create(bundle, index, NULL, NULL, &context, &error);
  const fl_model* const model = fl_model_at(bundle, index);
  for (size_t i = 0; status == FL_OK && i < files; ++i)
    status = fl_bind_input(context, given[i].name, inputs[i], given[i].bytes, &error);
  for (size_t i = 0; status == FL_OK && i < model->output_count && i < kMost; ++i) {
    outputs[i] = aligned(model->outputs[i].bytes);
    status = fl_bind_output(context, model->outputs[i].name, outputs[i], model->outputs[i].bytes, &error);
  }
  if (status == FL_OK) status = fl_run(context, &error);
  for (size_t i = 0; status == FL_OK && i < model->output_count && i < kMost; ++i) {
    char name[32];
    snprintf(name, sizeof name, "output-%zu.bin", i);
    if (!write_file(name, outputs[i], model->outputs[i].bytes)) return 1;
  }
  if (status != FL_OK) fprintf(stderr, "%s: %s\n", fl_status_name(status), error.message);
  fl_context_destroy(context);
  fl_close(bundle);
  return status == FL_OK ? 0 : 1;
}
