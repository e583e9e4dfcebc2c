// SPDX-License-Identifier: Apache-2.0
// Any bytes as a bundle: the loader refuses them with a line, or gives models that a context can be made of. Nobody's signature is
// asked for, so that what lies behind it is reached. The kernels of the kept bundles do nothing, since a changed manifest could let
// any other write where it should not: whoever allows unsigned bundles trusts the manifest.
#include <fuselab_loader.h>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fl_error error{};
  fl_bundle* bundle = nullptr;
  const fl_status status = fl_open_memory(data, size, nullptr, 0, FL_ALLOW_UNSIGNED | FL_VERIFY_WEIGHTS, &bundle, &error);
  if (status != FL_OK) {
    if (bundle != nullptr || error.message[0] == '\0') std::abort();
    return 0;
  }
  for (std::size_t i = 0; i < fl_model_count(bundle) + fl_piece_count(bundle); ++i) {
    if (fl_model_at(bundle, i)->scratch_bytes > std::size_t{1} << 26) continue;
    fl_context* context = nullptr;
    if (fl_context_create(
            bundle, i, [](void*, int, fl_work, void*) {}, nullptr, &context, &error) == FL_OK)
      fl_context_destroy(context);
  }
  fl_close(bundle);
  return 0;
}
