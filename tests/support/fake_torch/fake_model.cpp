// SPDX-License-Identifier: Apache-2.0
// Looks like a model that Inductor compiled: adds two tensors of six numbers into a third. It names functions of PyTorch and not
// its library, as real ones do.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED std::int32_t aoti_torch_get_data_ptr(void* handle, void** data);
EXPORTED std::int32_t aoti_torch_delete_tensor_object(void* handle);
EXPORTED std::int32_t aoti_torch_new_tensor_handle(void* of, void** made);

EXPORTED std::int32_t AOTInductorModelContainerCreateWithDevice(void** made, std::size_t models, const char* device, const char*) {
  *made = new int(0);
  return models == 1 && std::string(device) == "cpu" ? 0 : 1;
}
EXPORTED std::int32_t AOTInductorModelContainerDelete(void* container) {
  delete static_cast<int*>(container);
  return 0;
}
EXPORTED std::int32_t AOTInductorModelContainerGetNumInputs(void*, std::size_t* count) {
  *count = FAKE_INPUTS;
  return 0;
}
EXPORTED std::int32_t AOTInductorModelContainerGetNumOutputs(void*, std::size_t* count) {
  *count = 1;
  return 0;
}
EXPORTED std::int32_t AOTInductorGetLastError(const char** words) {
  *words = "input_handles[0]: unmatched dtype";
  return 0;
}
EXPORTED std::int32_t AOTInductorModelContainerRun(void*, void** inputs, std::size_t count, void** outputs, std::size_t, void*,
                                                   void*) {
  // Real ones check what they are given only if they are told to.
  const char* const checks = std::getenv("AOTI_RUNTIME_CHECK_INPUTS");
  bool fails = checks == nullptr || std::string(checks) != "1";
#ifdef FAKE_FAILS
  fails = true;
#endif
  if (!fails) {
    float* data[3] = {};
    for (int i = 0; i < 3; ++i) aoti_torch_get_data_ptr(inputs[i], reinterpret_cast<void**>(&data[i]));
    for (int i = 0; i < 6; ++i) data[2][i] = data[0][i] + data[1][i];
    aoti_torch_new_tensor_handle(inputs[2], outputs);
  }
  for (std::size_t i = 0; i < count; ++i) aoti_torch_delete_tensor_object(inputs[i]);
  return fails ? 1 : 0;
}
