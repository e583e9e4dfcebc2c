// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that compiles nothing: it refuses every program in its own words, and keeps what is copied to it.
#include <cstring>
#include <string>
#include <vector>

#include "backends/xla/abi/pjrt_abi.h"

namespace fuselab::xla::abi {

struct PjrtError {
  std::string message;
};
struct PjrtBuffer {
  std::vector<char> bytes;
};

namespace {

std::int64_t version_numbers[] = {1, 20, 0};
NamedValue about{};
Device* one_device[] = {nullptr};

PjrtError* failed(std::string message) {
  return new PjrtError{std::move(message)};
}

std::size_t size_of_type(int type) {
  return type == kF64 || type == kS64 ? 8 : type == kPred || type == kU8 ? 1 : 4;
}

Api make_api() {
  Api api{};
  api.struct_size = sizeof(Api);
#ifdef FAKE_SHORT
  api.struct_size = offsetof(Api, execute);
#endif
  api.version = {sizeof(ApiVersion), nullptr, FAKE_MAJOR, FAKE_MINOR};
  api.destroy_error = [](ErrorArgs* args) { delete args->error; };
  api.error_message = [](ErrorMessageArgs* args) {
    args->message = args->error->message.data();
    args->message_size = args->error->message.size();
  };
  api.initialize = [](InitializeArgs*) -> PjrtError* { return nullptr; };
  api.attributes = [](AttributesArgs* args) -> PjrtError* {
    about.name = "stablehlo_current_version";
    about.name_size = std::strlen(about.name);
    about.type = 2;
    about.integers = version_numbers;
    about.value_size = 3;
    args->attributes = &about;
    args->count = 1;
    return nullptr;
  };
  api.create_client = [](ClientCreateArgs*) -> PjrtError* { return nullptr; };
  api.addressable_devices = [](DevicesArgs* args) -> PjrtError* {
    args->devices = one_device;
    args->count = 1;
#ifdef FAKE_NO_CLIENT
    args->count = 0;
#endif
    return nullptr;
  };
  api.compile = [](CompileArgs* args) -> PjrtError* {
    return failed("INVALID_ARGUMENT: " + std::string(args->program->code, args->program->code_size) + " is no module\nsecond line");
  };
  api.from_host = [](FromHostArgs* args) -> PjrtError* {
    const auto size = static_cast<std::size_t>(args->extents[0]) * size_of_type(args->type);
    const char* const begin = static_cast<const char*>(args->data);
    args->buffer = new PjrtBuffer{{begin, begin + size}};
    return nullptr;
  };
  api.to_host = [](ToHostArgs* args) -> PjrtError* {
    if (args->size < args->buffer->bytes.size()) return failed("too short");
    std::memcpy(args->to, args->buffer->bytes.data(), args->buffer->bytes.size());
    return nullptr;
  };
  api.ready_event = [](ReadyArgs*) -> PjrtError* { return nullptr; };
  api.destroy_buffer = [](BufferArgs* args) -> PjrtError* {
    delete args->buffer;
    return nullptr;
  };
  return api;
}

}  // namespace
}  // namespace fuselab::xla::abi

extern "C" __attribute__((visibility("default"))) const fuselab::xla::abi::Api* GetPjrtApi() {
  static const fuselab::xla::abi::Api kApi = fuselab::xla::abi::make_api();
  return &kApi;
}
