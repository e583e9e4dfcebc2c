// SPDX-License-Identifier: Apache-2.0
// Looks like libtorch_cuda.so beside the fake libtorch_cpu.so: it knows the stream that is handed over, and queues there what the
// other one computed, by the driver that $FUSELAB_LIB_CUDA names.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

// NVIDIA's libraries read it when they are loaded.
const char* const tf32_at_loading = std::getenv("NVIDIA_TF32_OVERRIDE");

void* stream = nullptr;
int guards = 0;

}  // namespace

EXPORTED std::int32_t aoti_torch_create_cuda_stream_guard(void* wanted, std::int32_t device, void** guard) {
  if (wanted == nullptr || device != 0) return 1;
  stream = wanted;
  ++guards;
  *guard = &guards;
  return 0;
}
#ifndef FAKE_PARTIAL
EXPORTED std::int32_t aoti_torch_delete_cuda_stream_guard(void* guard) {
  if (guard != &guards) return 1;
  stream = nullptr;
  --guards;
  return 0;
}
#endif

// For the fake libtorch_cpu.so: fails outside of a guard.
EXPORTED int fake_torch_cuda_queue(void* to, std::size_t bytes) {
  if (stream == nullptr) return 1;
  void* const driver = dlopen(std::getenv("FUSELAB_LIB_CUDA"), RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 1;
  const auto copy =
      reinterpret_cast<int (*)(unsigned long long, const void*, std::size_t, void*)>(dlsym(driver, "cuMemcpyHtoDAsync_v2"));
  return copy(reinterpret_cast<unsigned long long>(to), to, bytes, stream);
}
// For tests.
EXPORTED int fake_torch_cuda_guards() {
  return guards;
}
EXPORTED const char* fake_torch_cuda_tf32() {
  return tf32_at_loading == nullptr ? "" : tf32_at_loading;
}
