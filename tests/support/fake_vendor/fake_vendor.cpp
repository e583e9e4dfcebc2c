// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_vendor/fake_vendor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/fake_cuda/device_model.h"

namespace fuselab::fake_vendor {
namespace {

using namespace gpu::stream;
using fake_cuda::DeviceModel;

constexpr unsigned kStreamFlags = 0x40, kEventFlags = 0x7, kHostFlags = 0x100, kWaitFlags = 0x9;
constexpr int kCaptureMode = 5, kDynamicShared = 77, kLogBuffer = 91, kLogBytes = 92;
constexpr double kLaunchTime = 2000, kEventTime = 500;
constexpr std::string_view kPrelude = "// acme\n";

using Operations = std::vector<std::pair<DeviceModel::Operation, double>>;

// The device and what its driver has given out.
struct Device {
  DeviceModel model;
  State state;
  std::deque<std::string> functions;
  std::deque<double> events;
  std::deque<Operations> graphs;
};
std::optional<Device> device;

// Counts a number that another vendor's driver takes.
void expect(bool own) {
  if (!own) ++device->state.strangers;
}

Code queue(DeviceModel::Operation operation, double nanoseconds) {
  if (device->model.failed() == 0) device->model.queue(std::move(operation), nanoseconds);
  return device->model.failed();
}

void* host_pointer(abi::DevicePointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

Code copy(void* to, const void* from, std::size_t bytes) {
  return queue([=] { return std::memcpy(to, from, bytes), 0; }, 1000 + static_cast<double>(bytes) / 1000);
}

// Small copies of pageable memory are taken over at once, as drivers do.
Code copy_in(abi::DevicePointer to, const void* from, std::size_t bytes) {
  if (device->model.is_pinned(from)) return copy(host_pointer(to), from, bytes);
  const auto* const begin = static_cast<const std::byte*>(from);
  return queue([to, taken = std::vector<std::byte>(
                        begin, begin + bytes)] { return std::memcpy(host_pointer(to), taken.data(), taken.size()), 0; },
               1000);
}

Code launch(const std::string& function, void** arguments) {
  std::vector<std::uint64_t> taken(function == "twice" ? 2 : 0);
  for (std::size_t i = 0; i < taken.size(); ++i) std::memcpy(&taken[i], arguments[i], sizeof taken[i]);
  return queue(
      [taken] {
        ++device->state.launches;
        if (device->state.launch != 0) return device->state.launch;
        if (taken.empty()) return 0;
        const auto* const in = static_cast<const float*>(host_pointer(taken[0]));
        std::transform(in, in + 25, static_cast<float*>(host_pointer(taken[1])), [](float each) { return 2 * each; });
        return 0;
      },
      kLaunchTime);
}

Code load(abi::Module* module, unsigned options, const int* names, void** values) {
  expect(options == 2 && names[0] == kLogBuffer && names[1] == kLogBytes);
  if (device->state.load != 0) std::strcpy(static_cast<char*>(values[0]), "made for\nAcme Two");
  *module = reinterpret_cast<abi::Module>(&*device);
  return device->state.load;
}

abi::DriverFunctions functions() {
  abi::DriverFunctions f{};
  f.error_name = [](Code code, const char** name) {
    *name = code == kNoMemory ? "ACME_NO_MEMORY" : code == kGone ? "ACME_GONE" : code == kForeign ? "ACME_FOREIGN" : nullptr;
    return 0;
  };
  f.device_get = [](abi::Device* handle, int ordinal) { return *handle = 40 + ordinal, ordinal == 0 ? 0 : kForeign; };
  f.context_retain = [](abi::Context*, abi::Device handle) { return expect(handle == 40), ++device->state.contexts, 0; };
  f.context_release = [](abi::Device handle) { return expect(handle == 40), --device->state.contexts, 0; };
  f.context_set = [](abi::Context) { return 0; };
  f.memory_info = [](std::size_t* free, std::size_t* total) {
    *total = device->state.memory;
    *free = *total - std::min(*total, device->model.used());
    return 0;
  };
  f.allocate = [](abi::DevicePointer* pointer, std::size_t bytes) {
    if (device->model.failed() != 0) return device->model.failed();
    if (bytes > device->state.memory - device->model.used()) return kNoMemory;
    return *pointer = device->model.allocate(bytes), 0;
  };
  f.release = [](abi::DevicePointer pointer) { return device->model.release(pointer) ? 0 : kForeign; };
  f.host_allocate = [](void** pointer, std::size_t bytes, unsigned flags) {
    return expect(flags == kHostFlags), *pointer = device->model.pin(bytes), 0;
  };
  f.host_release = [](void* pointer) { return device->model.unpin(pointer) ? 0 : kForeign; };
  f.host_device_pointer = [](abi::DevicePointer* pointer, void* host, unsigned) {
    return *pointer = reinterpret_cast<abi::DevicePointer>(host), 0;
  };
  f.copy_to_device = [](abi::DevicePointer to, const void* from, std::size_t bytes, abi::Stream) {
    return copy_in(to, from, bytes);
  };
  f.copy_to_host = [](void* to, abi::DevicePointer from, std::size_t bytes, abi::Stream) {
    return copy(to, host_pointer(from), bytes);
  };
  f.copy_on_device = [](abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, abi::Stream) {
    return copy(host_pointer(to), host_pointer(from), bytes);
  };
  f.fill_32 = [](abi::DevicePointer to, unsigned value, std::size_t count, abi::Stream) {
    return queue([=] { return std::fill_n(static_cast<unsigned*>(host_pointer(to)), count, value), 0; }, 1000);
  };
  f.module_load = [](abi::Module* module, const void*, unsigned options, int* names, void** values) {
    return load(module, options, names, values);
  };
  f.module_unload = [](abi::Module) { return 0; };
  f.module_function = [](abi::Function* function, abi::Module, const char* name) {
    *function = reinterpret_cast<abi::Function>(&device->functions.emplace_back(name));
    return 0;
  };
  f.module_global = [](abi::DevicePointer*, std::size_t*, abi::Module, const char*) { return kForeign; };
  f.set_function_attribute = [](abi::Function, int attribute, int) { return expect(attribute == kDynamicShared), 0; };
  f.occupancy = [](int* blocks, abi::Function, int, std::size_t) { return *blocks = 1, 0; };
  f.launch = [](abi::Function function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, abi::Stream,
                void** arguments, void**) { return launch(*reinterpret_cast<std::string*>(function), arguments); };
  f.stream_create = [](abi::Stream* stream, unsigned flags) {
    return expect(flags == kStreamFlags), *stream = reinterpret_cast<abi::Stream>(&*device), 0;
  };
  f.stream_destroy = [](abi::Stream) { return 0; };
  f.stream_synchronize = [](abi::Stream) { return device->model.synchronize(); };
  f.stream_wait_value = [](abi::Stream, abi::DevicePointer address, std::uint32_t value, unsigned flags) {
    expect(flags == kWaitFlags);
    if (!device->state.waits) return kCannotWait;
    return queue(
        [=] {
          while (std::atomic_ref(*static_cast<std::uint32_t*>(host_pointer(address))).load() != value) std::this_thread::yield();
          return 0;
        },
        0);
  };
  f.event_create = [](abi::Event* event, unsigned flags) {
    return expect(flags == kEventFlags), *event = reinterpret_cast<abi::Event>(&device->events.emplace_back()), 0;
  };
  f.event_destroy = [](abi::Event) { return 0; };
  f.event_record = [](abi::Event event, abi::Stream) {
    return queue([event] { return *reinterpret_cast<double*>(event) = device->model.now(), 0; }, kEventTime);
  };
  f.event_elapsed = [](float* milliseconds, abi::Event start, abi::Event end) {
    const double elapsed = *reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(start);
    return *milliseconds = static_cast<float>(elapsed * 1e-6), 0;
  };
  f.capture_begin = [](abi::Stream, int mode) { return expect(mode == kCaptureMode), device->model.begin_capture(), 0; };
  f.capture_end = [](abi::Stream, abi::Graph* graph) {
    *graph = reinterpret_cast<abi::Graph>(&device->graphs.emplace_back(device->model.end_capture()));
    return 0;
  };
  f.graph_instantiate = [](abi::GraphExec* exec, abi::Graph graph, unsigned long long) {
    return *exec = reinterpret_cast<abi::GraphExec>(graph), 0;
  };
  f.graph_upload = [](abi::GraphExec, abi::Stream) { return 0; };
  f.graph_launch = [](abi::GraphExec exec, abi::Stream) {
    for (const auto& [operation, nanoseconds] : *reinterpret_cast<Operations*>(exec)) queue(operation, nanoseconds);
    return device->model.failed();
  };
  f.graph_exec_destroy = [](abi::GraphExec) { return 0; };
  f.graph_destroy = [](abi::Graph) { return 0; };
  return f;
}

constexpr Meaning kMeanings[] = {{kNoMemory, ErrorCode::kOutOfMemory},
                                 {kGone, ErrorCode::kCrashed},
                                 {kLate, ErrorCode::kTimeout},
                                 {kCannotWait, ErrorCode::kUnsupported},
                                 {kForeign, ErrorCode::kUnsupported}};
constexpr BlockingVariable kBlockingVariables[] = {{"ACME_ONE_BY_ONE", "never"}};

Result<BinaryKernel> read_binary(std::span<const std::byte> bytes, std::string_view kernel) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find(kernel) == std::string_view::npos) return Error{ErrorCode::kNotFound, "the acme-o has no such kernel"};
  BinaryKernel read;
  read.max_threads = 64;
  read.parameters = 2;
  return read;
}

std::string advice(int driver_version, const KernelBinary&) {
  return " (Acme " + std::to_string(driver_version) + " is too old)";
}

}  // namespace

State& state() {
  return device->state;
}

const Vendor& vendor() {
  static const Vendor acme{.backend = "acme",
                           .binary_format = "acme-o",
                           .language = "acme-c",
                           .prelude = kPrelude,
                           .meanings = kMeanings,
                           .not_supported = kCannotWait,
                           .stream_flags = kStreamFlags,
                           .event_flags = kEventFlags,
                           .host_flags = kHostFlags,
                           .wait_flags = kWaitFlags,
                           .capture_mode = kCaptureMode,
                           .dynamic_shared = kDynamicShared,
                           .log_buffer = kLogBuffer,
                           .log_bytes = kLogBytes,
                           .get_device = "acmeGet",
                           .retain_context = "acmeRetain",
                           .set_context = "acmeSet",
                           .create_stream = "acmeStream",
                           .blocking_variables = kBlockingVariables,
                           .read_binary = read_binary,
                           .advice = advice};
  return acme;
}

std::shared_ptr<const Driver> open_driver() {
  device.emplace();
  return std::make_shared<const Driver>(vendor(), functions(), 7);
}

DeviceInfo described_device() {
  DeviceInfo info;
  info.id = "acme:0";
  info.backend = "acme";
  info.name = "Acme One";
  info.type = "gpu";
  info.compute_units = 4;
  info.target = {"one", "acme", {{"max_threads", 64}, {"shared_bytes", 1024}, {"shared_optin_bytes", 2048}, {"l2_bytes", 4096}}};
  return info;
}

CompiledKernel doubling_kernel() {
  CompiledKernel kernel;
  kernel.identity.target = "one";
  kernel.abi.entry = "twice";
  kernel.abi.block_x.text = "32";
  kernel.abi.grid_x.text = "multiprocessors";
  kernel.abi.arguments = {{"in", BufferRole::kIn, {}, 64}, {"out", BufferRole::kOut, {}, 64}};
  kernel.binary.format = "acme-o";
  const auto text = std::as_bytes(std::span("twice"));
  kernel.binary.data.assign(text.begin(), text.end());
  return kernel;
}

}  // namespace fuselab::fake_vendor
