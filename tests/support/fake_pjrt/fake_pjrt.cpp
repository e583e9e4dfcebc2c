// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that computes products of two matrices and refuses every other program in its own words. A product over a depth of
// 13 crashes, one over 17 never ends, one over 19 fails. Buffers are the memory that they were made of, and memory that is given to
// a launch becomes its result, as with XLA.
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "backends/xla/abi/pjrt_abi.h"

namespace fuselab::xla::abi {

struct PjrtError {
  std::string message;
};
struct PjrtBuffer {
  char* data = nullptr;
  bool writable = false;
  std::vector<char> copied = {};
};
struct LoadedExecutable {
  long m, k, n;
};

namespace {

Device* one_device[] = {nullptr};

PjrtError* failed(std::string message) {
  return new PjrtError{std::move(message)};
}

PjrtError* compile(CompileArgs* args) {
  const std::string text(args->program->code, args->program->code_size);
  LoadedExecutable program{};
  long again = 0;
  const auto product = text.find("dot_general");
  const auto types = product == std::string::npos ? product : text.find(" : (tensor<", product);
  if (types == std::string::npos || std::sscanf(text.c_str() + types, " : (tensor<%ldx%ldxf32>, tensor<%ldx%ldxf32>)", &program.m,
                                                &program.k, &again, &program.n) != 4)
    return failed("INVALID_ARGUMENT: " + text + " is no module\nsecond line");
  args->executable = new LoadedExecutable(program);
  return nullptr;
}

PjrtError* execute(ExecuteArgs* args) {
  const auto [m, k, n] = *args->executable;
  PjrtBuffer* const* const given = args->arguments[0];
  if (args->argument_count != 3 || !given[2]->writable) return failed("INVALID_ARGUMENT: two matrices and memory are wanted");
  if (k == 13) std::raise(SIGSEGV);
  while (k == 17) ::pause();
  if (k == 19) return failed("INTERNAL: no luck");
  auto* const made = new PjrtBuffer{given[2]->data, true};
  given[2]->writable = false;
  const auto* const a = reinterpret_cast<const float*>(given[0]->data);
  const auto* const b = reinterpret_cast<const float*>(given[1]->data);
  auto* const c = reinterpret_cast<float*>(made->data);
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long x = 0; x < k; ++x) sum += double{a[i * k + x]} * b[x * n + j];
      c[i * n + j] = static_cast<float>(sum);
    }
  }
  args->outputs[0][0] = made;
  return nullptr;
}

Api make_api() {
  Api api{};
  api.struct_size = sizeof(Api);
#ifdef FAKE_SHORT
  api.struct_size = offsetof(Api, execute);
#endif
  api.version = {sizeof(ApiVersion), nullptr, FAKE_MAJOR, FAKE_MINOR};
  api.destroy_error = [](ObjectArgs<PjrtError>* args) { delete args->object; };
  api.error_message = [](ErrorMessageArgs* args) {
    args->message = args->error->message.data();
    args->message_size = args->error->message.size();
  };
  api.initialize = [](Head*) -> PjrtError* { return nullptr; };
  // The threads of a client stay on the processors of its maker: no more than it has threads.
  api.create_client = [](ClientCreateArgs*) -> PjrtError* {
    cpu_set_t set;
    CPU_ZERO(&set);
    const char* const threads = std::getenv("PJRT_NPROC");
    const bool held = threads != nullptr && sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) <= std::atoi(threads);
    return held ? nullptr : new PjrtError{"INVALID_ARGUMENT: more processors than threads"};
  };
  api.addressable_devices = [](DevicesArgs* args) -> PjrtError* {
    args->devices = one_device;
    args->count = 1;
#ifdef FAKE_NO_CLIENT
    args->count = 0;
#endif
    return nullptr;
  };
  api.compile = compile;
  // A program's serialised form is its three extents.
  api.get_executable = [](GetExecutableArgs* args) -> PjrtError* {
    args->executable = reinterpret_cast<Executable*>(args->loaded);
    return nullptr;
  };
  api.destroy_executable = [](ObjectArgs<Executable>*) -> PjrtError* { return nullptr; };
  api.output_count = [](OutputCountArgs* args) -> PjrtError* {
    args->count = 1;
    return nullptr;
  };
  api.serialize = [](SerializeArgs* args) -> PjrtError* {
    args->bytes = reinterpret_cast<const char*>(args->executable);
    args->size = sizeof(LoadedExecutable);
    return nullptr;
  };
  api.deserialize = [](DeserializeArgs* args) -> PjrtError* {
    if (args->size != sizeof(LoadedExecutable)) return failed("INVALID_ARGUMENT: not a program");
    args->executable = new LoadedExecutable{};
    std::memcpy(args->executable, args->bytes, sizeof(LoadedExecutable));
    return nullptr;
  };
  api.destroy_loaded = [](ObjectArgs<LoadedExecutable>* args) -> PjrtError* {
    delete args->object;
    return nullptr;
  };
  api.execute = execute;
  api.from_host = [](FromHostArgs* args) -> PjrtError* {
    auto* const data = static_cast<char*>(const_cast<void*>(args->data));
    args->buffer = new PjrtBuffer{data, args->semantics == kMutableZeroCopy};
#ifdef FAKE_COPIES
    args->buffer->copied.assign(data, data + args->extents[0]);
    args->buffer->data = args->buffer->copied.data();
#endif
    return nullptr;
  };
  api.address = [](AddressArgs* args) -> PjrtError* {
    args->address = args->buffer->data;
    return nullptr;
  };
  api.destroy_buffer = [](ObjectArgs<PjrtBuffer>* args) -> PjrtError* {
    delete args->object;
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
