// SPDX-License-Identifier: Apache-2.0
// A stand-in for OpenVINO: the calls that are made. Every model is taken for a product of its inputs i0 and i1, but for one that
// holds the word Softmax, which is not read. A product over a depth of 13 crashes, one over 17 never ends, one over 19 fails.
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Version {
  const char *build, *description;
};
struct Shape {
  std::int64_t rank;
  std::int64_t* dims;
};
struct Tensor {
  float* data;
  std::vector<std::int64_t> dims;
};
struct Request {
  std::map<std::string, Tensor> tensors;
};
int anything;  // what opaque objects point to
constexpr int kGeneralError = -1;
const char* message = "";

}  // namespace

EXPORT int ov_get_openvino_version(Version* version) {
  *version = {FAKE_YEAR ".1.0-123-abc", "fake"};
  return 0;
}
EXPORT const char* ov_get_error_info(int) {
  return "general error";
}
EXPORT const char* ov_get_last_err_msg() {
  return message;
}
EXPORT int ov_core_create(void** core) {
  *core = &anything;
  return 0;
}
EXPORT int ov_core_read_model_from_memory_buffer(const void*, const char* text, std::size_t bytes, const void*, void** model) {
  if (std::string_view(text, bytes).find("Softmax") != std::string_view::npos) {
    message = "Exception from somewhere:\nSoftmax is not supported";
    return kGeneralError;
  }
  *model = &anything;
  return 0;
}
EXPORT int ov_core_compile_model(const void*, const void*, const char*, std::size_t, void** compiled, ...) {
  *compiled = &anything;
  return 0;
}
EXPORT int ov_core_get_property(const void*, const char*, const char*, char** value) {
#ifdef FAKE_NO_PLUGIN
  message = "Device with \"CPU\" name is not registered";
  *value = nullptr;
  return kGeneralError;
#else
  static char name[] = "a processor";
  *value = name;
  return 0;
#endif
}
EXPORT void ov_free(const char*) {}
EXPORT int ov_compiled_model_create_infer_request(const void*, Request** request) {
  *request = new Request();
  return 0;
}
EXPORT int ov_tensor_create_from_host_ptr(int, Shape shape, void* data, Tensor** tensor) {
  *tensor = new Tensor{static_cast<float*>(data), {shape.dims, shape.dims + shape.rank}};
  return 0;
}
EXPORT int ov_infer_request_set_tensor(Request* request, const char* name, const Tensor* tensor) {
  request->tensors[name] = *tensor;
  return 0;
}
#ifndef FAKE_PARTIAL
EXPORT int ov_infer_request_infer(Request* request) {
  const Tensor &a = request->tensors.at("i0"), &b = request->tensors.at("i1");
  float* const to = request->tensors.at("o0").data;
  const std::int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
  if (k == 13) std::raise(SIGSEGV);
  while (k == 17) ::pause();
  if (k == 19) {
    message = "no luck";
    return kGeneralError;
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t x = 0; x < k; ++x) sum += double{a.data[i * k + x]} * b.data[x * n + j];
      to[i * n + j] = static_cast<float>(sum);
    }
  }
  return 0;
}
#endif
EXPORT void ov_tensor_free(Tensor* tensor) {
  delete tensor;
}
EXPORT void ov_infer_request_free(Request* request) {
  delete request;
}
EXPORT void ov_compiled_model_free(void*) {}
EXPORT void ov_model_free(void*) {}
