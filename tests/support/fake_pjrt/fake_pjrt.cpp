// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that computes products of two matrices and refuses every other program in its own words. A product over a depth of
// 13 crashes, one over 17 never ends, one over 19 fails. Buffers are the memory that they were made of, and memory that is given to
// a launch becomes its result, as with XLA.
// For a topology it compiles the same products, and depths of 13, 17 and 19 do there what they do in a launch; 23 gives nonsense
// for memory, cost and fusions, 29 an empty program.
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "backends/xla/abi/pjrt_abi.h"
#include "tests/support/fake_pjrt/hlo_bytes.h"

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
struct Topology {
  bool is_tpu;
};

namespace {

Device* one_device[] = {nullptr};

PjrtError* failed(std::string message) {
  return new PjrtError{std::move(message)};
}

// Reads the extents of the product that a program is.
PjrtError* read_product(const ProgramText& given, LoadedExecutable& program) {
  const std::string text(given.code, given.code_size);
  long again = 0;
  const auto product = text.find("dot_general");
  const auto types = product == std::string::npos ? product : text.find(" : (tensor<", product);
  if (types == std::string::npos || std::sscanf(text.c_str() + types, " : (tensor<%ldx%ldxf32>, tensor<%ldx%ldxf32>)", &program.m,
                                                &program.k, &again, &program.n) != 4)
    return failed("INVALID_ARGUMENT: " + text + " is no module\nsecond line");
  return nullptr;
}

PjrtError* compile(CompileArgs* args) {
  LoadedExecutable program{};
  if (PjrtError* const error = read_product(*args->program, program)) return error;
  args->executable = new LoadedExecutable(program);
  return nullptr;
}

// What the last program was that was compiled for a topology.
LoadedExecutable ahead;
bool is_for_tpu = false;

PjrtError* create_topology(TopologyArgs* args) {
  static Topology gpu{false}, tpu{true};
  const std::string name(args->name, args->name_size);
  if (args->option_count == 0 && name != "v5e:1x1" && name != "v6e:1x1")
    return failed("INVALID_ARGUMENT: no TPU is called " + name);
  if (args->option_count != 0 &&
      std::string(args->options[0].text, args->options[0].size).find("core_count: ") == std::string::npos)
    return failed("INVALID_ARGUMENT: no GPU is described");
  args->topology = args->option_count == 0 ? &tpu : &gpu;
  return nullptr;
}

PjrtError* compile_ahead(CompileAheadArgs* args) {
  if (PjrtError* const error = read_product(*args->program, ahead)) return error;
  if (ahead.k == 13) std::raise(SIGSEGV);
  while (ahead.k == 17) ::pause();
  if (ahead.k == 19) return failed("INTERNAL: no luck");
  is_for_tpu = args->topology->is_tpu;
  args->executable = reinterpret_cast<Executable*>(&ahead);
  return nullptr;
}

PjrtError* memory_stats(MemoryStatsArgs* args) {
  const auto [m, k, n] = ahead;
  args->code = is_for_tpu ? 1000 : 0;
  args->outputs = args->aliased = 4 * m * n;
  args->arguments = 4 * (m * k + k * n) + args->aliased;
  args->temporaries = k == 23 ? -1 : 64;
  return nullptr;
}

PjrtError* cost_analysis(CostAnalysisArgs* args) {
  if (!is_for_tpu) return failed("UNIMPLEMENTED: no cost analysis");
  static NamedValue values[2];
  const auto set = [](NamedValue& value, const char* name, float number) {
    value.name = name;
    value.name_size = std::strlen(name);
    value.type = kReal;
    value.real = number;
  };
  set(values[0], "flops", 2.0F * static_cast<float>(ahead.m * ahead.k * ahead.n));
  set(values[1], "optimal_seconds", ahead.k == 23 ? -1.0F : 2e-6F);
  args->values = values;
  args->count = 2;
  return nullptr;
}

PjrtError* optimized_program(OptimizedProgramArgs* args) {
  const std::string text = ahead.k == 23 ? "\xff nonsense" : test::sample_program();
  if (args->program->code != nullptr) std::memcpy(args->program->code, text.data(), text.size());
  args->program->code_size = text.size();
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
    args->size = reinterpret_cast<const LoadedExecutable*>(args->executable)->k == 29 ? 0 : sizeof(LoadedExecutable);
    return nullptr;
  };
  api.create_topology = create_topology;
  api.destroy_topology = [](ObjectArgs<Topology>*) -> PjrtError* { return nullptr; };
  api.compile_ahead = compile_ahead;
  api.memory_stats = memory_stats;
  api.cost_analysis = cost_analysis;
  api.optimized_program = optimized_program;
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
