/* SPDX-License-Identifier: Apache-2.0 */
/* run_model BUNDLE KEY [FILE...]: runs the first model once; the files hold its inputs, packed. Outputs go to output-0.bin, ... */
#include <fuselab_loader.h>
#include <stdio.h>
#include <stdlib.h>

static int transfer(const char* path, const char* mode, void* data, size_t bytes) {
  FILE* const file = fopen(path, mode);
  if (file == NULL) return 0;
  const size_t done = mode[0] == 'r' ? fread(data, 1, bytes, file) : fwrite(data, 1, bytes, file);
  return fclose(file) == 0 && done == bytes;
}

int main(int argc, char** argv) {
  fl_error error = {FL_INVALID_ARGUMENT, "usage: run_model BUNDLE KEY [FILE...]"};
  fl_bundle* bundle = NULL;
  fl_context* context = NULL;
  fl_status status = argc > 2 ? fl_open(argv[1], (const char* const*)argv + 2, 1, 0, &bundle, &error) : FL_INVALID_ARGUMENT;
  if (status == FL_OK) status = fl_context_create(bundle, 0, NULL, NULL, &context, &error);
  const fl_model* const model = fl_model_at(bundle, 0);
  void* outputs[16] = {NULL};
  for (size_t i = 0; status == FL_OK && i < model->input_count; ++i) {
    void* const data = aligned_alloc(64, (model->inputs[i].bytes / 64 + 1) * 64);
    if ((int)i + 3 >= argc || !transfer(argv[i + 3], "rb", data, model->inputs[i].bytes)) return 1;
    status = fl_bind_input(context, model->inputs[i].name, data, model->inputs[i].bytes, &error);
  }
  for (size_t i = 0; status == FL_OK && i < model->output_count && i < 16; ++i) {
    outputs[i] = aligned_alloc(64, (model->outputs[i].bytes / 64 + 1) * 64);
    status = fl_bind_output(context, model->outputs[i].name, outputs[i], model->outputs[i].bytes, &error);
  }
  if (status == FL_OK) status = fl_run(context, &error);
  for (size_t i = 0; status == FL_OK && i < model->output_count && i < 16; ++i) {
    char name[32];
    snprintf(name, sizeof name, "output-%zu.bin", i);
    if (!transfer(name, "wb", outputs[i], model->outputs[i].bytes)) return 1;
  }
  if (status != FL_OK) fprintf(stderr, "%s: %s\n", fl_status_name(status), error.message);
  fl_context_destroy(context);
  fl_close(bundle);
  return status == FL_OK ? 0 : 1;
}
