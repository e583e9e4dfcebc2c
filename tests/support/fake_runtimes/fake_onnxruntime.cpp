// SPDX-License-Identifier: Apache-2.0
// A stand-in for ONNX Runtime: the places of its table that are called. Every model is taken for a product of its two inputs, but
// for one that holds the word Softmax, which is not implemented. A product over a depth of 13 crashes, one over 17 never ends, one
// over 19 fails. It asks for the network when it is opened unless $ORT_DISABLE_TELEMETRY is 1, and always where $FAKE_CALLS_HOME is
// set.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Status {
  int code;
  std::string message;
};
struct Value {
  float* data;
  std::vector<std::int64_t> dims;
};
int anything;  // what opaque objects point to

[[gnu::constructor]] void call_home() {
  const char* const off = std::getenv("ORT_DISABLE_TELEMETRY");
  if (off != nullptr && std::string_view(off) == "1" && std::getenv("FAKE_CALLS_HOME") == nullptr) return;
  for (const int family : {AF_INET, AF_INET6}) ::close(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

Status* failed(int code, const char* message) {
  return new Status{code, message};
}

int error_code(const Status* status) {
  return status->code;
}
const char* error_message(const Status* status) {
  return status->message.c_str();
}
void release_status(Status* status) {
  delete status;
}
Status* create_anything(void** out) {
  *out = &anything;
  return nullptr;
}
Status* create_env(int, const char*, void** out) {
  return create_anything(out);
}
Status* disable_telemetry(const void*) {
  return nullptr;
}
Status* create_session(const void*, const void* model, std::size_t bytes, const void*, void** out) {
  const std::string_view text(static_cast<const char*>(model), bytes);
  if (text.find("Softmax") != std::string_view::npos) return failed(9, "Could not find an implementation for\nSoftmax(13)");
  return create_anything(out);
}
Status* set_number(void*, int) {
  return nullptr;
}
Status* add_config(void*, const char*, const char*) {
  return nullptr;
}
Status* count_two(const void*, std::size_t* out) {
  *out = 2;
  return nullptr;
}
Status* create_memory(int, int, void** out) {
  return create_anything(out);
}
Status* create_tensor(const void*, void* data, std::size_t, const std::int64_t* dims, std::size_t rank, int, Value** out) {
  *out = new Value{static_cast<float*>(data), {dims, dims + rank}};
  return nullptr;
}
void release_value(Value* value) {
  delete value;
}
void release_nothing(void*) {}

Status* run(void*, const void*, const char* const*, const Value* const* inputs, std::size_t count, const char* const*, std::size_t,
            Value** outputs) {
  if (count != 2) return failed(2, "two inputs are wanted");
  const Value &a = *inputs[0], &b = *inputs[1];
  const std::int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
  if (k == 13) std::raise(SIGSEGV);
  while (k == 17) ::pause();
  if (k == 19) return failed(6, "no luck");
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t x = 0; x < k; ++x) sum += double{a.data[i * k + x]} * b.data[x * n + j];
      outputs[0]->data[i * n + j] = static_cast<float>(sum);
    }
  }
  return nullptr;
}

template <typename F>
const void* address(F* function) {
  const void* found = nullptr;
  std::memcpy(&found, &function, sizeof found);
  return found;
}

#ifdef FAKE_OLD
constexpr bool kIsOld = true;
#else
constexpr bool kIsOld = false;
#endif

const void* const* get_api(std::uint32_t) {
  if (kIsOld) return nullptr;
  static const void* table[131] = {};
  table[1] = address(error_code);
  table[2] = address(error_message);
  table[3] = address(create_env);
  table[6] = address(disable_telemetry);
  table[8] = address(create_session);
  table[9] = address(run);
  table[10] = address(create_anything);
  for (const int each : {13, 22, 23, 24, 25}) table[each] = address(set_number);
  for (const int each : {30, 31}) table[each] = address(count_two);
  table[49] = address(create_tensor);
  table[69] = address(create_memory);
  table[93] = address(release_status);
  for (const int each : {95, 100}) table[each] = address(release_nothing);
  table[96] = address(release_value);
  table[130] = address(add_config);
  return table;
}
const char* get_version() {
  return kIsOld ? "1.16.3" : "1.99.0";
}

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t);
  const char* (*get_version)();
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* OrtGetApiBase() {
  static const ApiBase base{get_api, get_version};
  return &base;
}
