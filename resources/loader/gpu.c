/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "fail.h"

size_t fl_gpu_kernel_count(const fl_bundle* bundle) {
  return bundle == NULL ? 0 : bundle->manifest.gpu_kernel_count;
}

/* The file may be changed by its owner while it is looked at: what was hashed is what is handed out. */
static fl_status take_code(const fl_bundle* bundle, fl_gpu_part* part, fl_error* error) {
  char name[8 + 64 + 6 + 1];
  snprintf(name, sizeof name, "kernels/%.64s.%.5s", part->file, part->format);
  const fl_zip_entry* const entry = fl_zip_find(&bundle->zip, name);
  if (entry == NULL) return fl_fail(error, FL_CORRUPT, "kernel %.12s is missing from the file", part->file);
  void* const code = malloc(entry->bytes + 1);
  if (code == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for a kernel of %zu bytes", entry->bytes);
  memcpy(code, entry->data, entry->bytes);
  if (!fl_hash_is(code, entry->bytes, part->file)) {
    free(code);
    return fl_fail(error, FL_CORRUPT, "kernel %.12s is not what the manifest vouches for", part->file);
  }
  part->facts.code = code;
  part->facts.code_bytes = entry->bytes;
  return FL_OK;
}

const fl_gpu_kernel* fl_gpu_kernel_at(const fl_bundle* bundle, size_t index) {
  return index < fl_gpu_kernel_count(bundle) ? &bundle->manifest.gpu_kernels[index].facts : NULL;
}

fl_status fl_gpu_take_code(fl_bundle* bundle, fl_error* error) {
  fl_status status = FL_OK;
  for (size_t i = 0; status == FL_OK && i < bundle->manifest.gpu_kernel_count; ++i)
    status = take_code(bundle, &bundle->manifest.gpu_kernels[i], error);
  return status;
}

void fl_gpu_free(fl_manifest* manifest) {
  for (size_t i = 0; manifest->gpu_kernels != NULL && i < manifest->gpu_kernel_count; ++i)
    free((void*)(uintptr_t)manifest->gpu_kernels[i].facts.code);
}
