// SPDX-License-Identifier: Apache-2.0
// A library that looks like NVIDIA's driver with one device. $FUSELAB_FAKE_CUDA says how it behaves, separated by commas:
// "version=11040", "init=100" (any code), "init=crash", "init=hang", "devices=2", "unwell=1" (that one does not answer),
// "machine=FILE" (the devices of a dump, device_dump.h), "plain" (no cuGetProcAddress), "memory=1000000" (bytes that the device
// has), "launch=700" (any code, found when the launch is waited for), "launch=hang", "launch=abort", "blocking" (launches wait for
// their kernels, as with CUDA_LAUNCH_BLOCKING=1, which it heeds, too), "faulty=Tanh" (kernels with that word in their text fault),
// "load=209", "stray" (a kernel writes behind its last buffer), "carried" (there what it read behind its first), "occupancy=0",
// "clusters=0", "ungated" (streams cannot wait for a word), "l2=4096" (bytes of its cache), "trace=FILE" (each launch that runs
// adds a line: the addresses that it was given), "shapes=FILE" (the same with the kernel's name, blocks, threads of a block,
// dynamic shared memory and blocks of a cluster), "maps=FILE" (its tensor maps). Without one it is good; kernels do nothing unless
// $FUSELAB_FAKE_CUDA_RUNNER names a program that runs them. Calls without a context or in the middle of a recording get the real
// driver's errors: fake_state.h.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "backends/cuda/abi/driver_abi.h"
#include "tests/support/fake_cuda/fake_cubin.h"
#include "tests/support/fake_cuda/fake_state.h"
#include "tests/support/fake_cuda/kernel_runner.h"

using namespace fuselab;
using namespace fuselab::cuda::abi;
using namespace fuselab::fake_cuda;

namespace {

constexpr double kLaunchTime = 2000, kEventTime = 500, kBytesPerNanosecond = 1000;
constexpr double kExecutedLaunchTime = 1e6;  // of kernels that are run: nobody should want many of them

struct FakeModule {
  std::string source;
  std::vector<std::unique_ptr<ModelFunction>> functions;
};
struct FakeEvent {
  double at = -1;
};
struct FakeGraph {
  std::vector<std::pair<DeviceModel::Operation, double>> operations;
};
int largest_graph = 0;

// What the driver gave out: after a device is lost nobody gives anything back, and that is no leak.
template <typename Held>
class Owned {
 public:
  Held* make(Held held) {
    auto made = std::make_unique<Held>(std::move(held));
    Held* const handle = made.get();
    held_.emplace(handle, std::move(made));
    return handle;
  }
  void release(void* handle) { held_.erase(static_cast<Held*>(handle)); }

 private:
  std::map<Held*, std::unique_ptr<Held>> held_;
};

template <typename Held>
Owned<Held>& owned() {
  static Owned<Held> all;
  return all;
}

std::byte* memory_at(DevicePointer pointer) {
  return reinterpret_cast<std::byte*>(pointer);
}

Code queue(DeviceModel::Operation operation, double nanoseconds) {
  if (const Code code = in_context(); code != kSuccess) return code;
  if (model().failed() != 0) return model().failed();
  model().queue(std::move(operation), nanoseconds);
  return kSuccess;
}

double time_for(std::size_t bytes) {
  return 1000 + static_cast<double>(bytes) / kBytesPerNanosecond;
}

void trace_arguments(const std::string& file, const LaunchOf& launch) {
  std::ofstream lines(file, std::ios::app);
  for (const std::uint64_t argument : launch.arguments) lines << argument << ' ';
  lines << '\n';
}

void trace_shape(const std::string& file, const LaunchOf& launch) {
  std::ofstream(file, std::ios::app) << launch.function->name << ' ' << launch.grid << ' ' << launch.block << ' '
                                     << launch.dynamic_shared << ' ' << launch.cluster << '\n';
}

// "1: 512 64, 1024, 64 64, 0": the argument whose buffer it describes, extents, strides, box and swizzle of each map.
void trace_maps(const std::string& file, const LaunchOf& launch) {
  std::ofstream lines(file, std::ios::app);
  for (const EncodedMap& map : launch.maps) {
    const auto found = std::find(launch.arguments.begin(), launch.arguments.end(), map.address);
    lines << found - launch.arguments.begin() << ':';
    for (int axis = 0; axis < map.axes; ++axis) lines << ' ' << map.extents[axis];
    for (int axis = 0; axis + 1 < map.axes; ++axis) lines << (axis == 0 ? ", " : " ") << map.strides[axis];
    for (int axis = 0; axis < map.axes; ++axis) lines << (axis == 0 ? ", " : " ") << map.box[axis];
    lines << ", " << int{map.swizzle} << '\n';
  }
}

Code wait_if_blocking() {
  const char* const set = std::getenv("CUDA_LAUNCH_BLOCKING");
  const bool wanted = behaviour().has("blocking") || (set != nullptr && std::strcmp(set, "1") == 0);
  return wanted && !model().capturing() ? model().synchronize() : kSuccess;
}

// HSA's runtime does not answer a fault of a kernel with a code.
void end_as_amd_does() {
  std::fprintf(stderr, "Memory access fault by GPU node-1 on address 0x7f0000000000. Reason: Page not present.\n");
  std::abort();
}

Code run(const LaunchOf& launch) {
  const Behaviour asked = behaviour();
  if (asked.text("launch") == "hang") hang();
  if (asked.text("launch") == "abort") end_as_amd_does();
  if (const auto file = asked.text("trace")) trace_arguments(*file, launch);
  if (const auto file = asked.text("shapes")) trace_shape(*file, launch);
  if (const auto file = asked.text("maps")) trace_maps(*file, launch);
  if (const auto code = asked.number("launch")) return static_cast<Code>(*code);
  if (const auto word = asked.text("faulty"); word && launch.function->source.find(*word) != std::string::npos)
    return kIllegalAddress;
  if ((asked.has("stray") || asked.has("carried")) && !launch.arguments.empty()) {
    const auto behind = [](DevicePointer buffer) {
      const auto [base, size] = model().allocation_of(buffer);
      return size > 2 * guard_zone() ? memory_at(base + size - guard_zone()) : nullptr;
    };
    const std::byte one[4] = {std::byte{1}};
    const std::byte* const from = asked.has("stray") ? one : behind(launch.arguments.front());
    if (std::byte* const to = behind(launch.arguments.back()); to != nullptr && from != nullptr) std::memcpy(to, from, 4);
  }
  return fake_cuda::run_kernel(model(), launch);
}

}  // namespace

FAKE_EXPORT Code cuGetErrorName(Code code, const char** name) {
  switch (code) {
    case kOutOfMemory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case kStubLibrary: *name = "CUDA_ERROR_STUB_LIBRARY"; break;
    case kNoDevice: *name = "CUDA_ERROR_NO_DEVICE"; break;
    case kNoBinaryForGpu: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; break;
    case kIllegalAddress: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case kLaunchTimeout: *name = "CUDA_ERROR_LAUNCH_TIMEOUT"; break;
    case kSystemDriverMismatch: *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"; break;
    case kDeviceUnavailable: *name = "CUDA_ERROR_DEVICE_UNAVAILABLE"; break;
    case kUnknown: *name = "CUDA_ERROR_UNKNOWN"; break;
    default: return kInvalidValue;
  }
  return kSuccess;
}
FAKE_EXPORT Code cuGetErrorString(Code, const char** text) {
  *text = "an error";
  return kSuccess;
}

FAKE_EXPORT Code cuDeviceTotalMem_v2(std::size_t* bytes, Device device);
FAKE_EXPORT Code cuDeviceGetAttribute(int* value, int attribute, Device device);

FAKE_EXPORT Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const Code code = in_context(); code != kSuccess) return code;
  cuDeviceTotalMem_v2(total, 0);
  *free = *total - std::min(*total, model().used());
  return model().failed();
}
FAKE_EXPORT Code cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  std::size_t free = 0, total = 0;
  cuMemGetInfo_v2(&free, &total);
  if (bytes > free) return kOutOfMemory;
  *pointer = model().allocate(bytes);
  return kSuccess;
}
FAKE_EXPORT Code cuMemFree_v2(DevicePointer pointer) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  if (const Code code = model().synchronize(); code != kSuccess) return code;  // the real one waits, too
  return model().release(pointer) ? kSuccess : kInvalidValue;
}
FAKE_EXPORT Code cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  *pointer = model().pin(bytes);
  return kSuccess;
}
FAKE_EXPORT Code cuMemFreeHost(void* pointer) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  return model().unpin(pointer) ? kSuccess : kInvalidValue;
}
FAKE_EXPORT Code cuMemHostGetDevicePointer_v2(DevicePointer* device, void* host, unsigned) {
  *device = reinterpret_cast<DevicePointer>(host);
  return kSuccess;
}

FAKE_EXPORT Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream) {
  if (model().is_pinned(from)) {  // read as late as may be
    return queue([=] { return std::memcpy(memory_at(to), from, bytes), kSuccess; }, time_for(bytes));
  }
  const auto* const begin = static_cast<const std::byte*>(from);
  const std::vector<std::byte> taken(begin, begin + bytes);
  return queue([=] { return std::memcpy(memory_at(to), taken.data(), taken.size()), kSuccess; }, time_for(bytes));
}
FAKE_EXPORT Code cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream) {
  std::memset(to, 0xa5, bytes);  // nobody may read it yet
  return queue([=] { return std::memcpy(to, memory_at(from), bytes), kSuccess; }, time_for(bytes));
}
FAKE_EXPORT Code cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream) {
  return queue([=] { return std::memmove(memory_at(to), memory_at(from), bytes), kSuccess; }, time_for(2 * bytes));
}
FAKE_EXPORT Code cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, Stream) {
  return queue([=] { return std::fill_n(reinterpret_cast<unsigned short*>(to), count, value), kSuccess; }, time_for(2 * count));
}
FAKE_EXPORT Code cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, Stream) {
  return queue([=] { return std::fill_n(reinterpret_cast<unsigned*>(to), count, value), kSuccess; }, time_for(4 * count));
}

FAKE_EXPORT Code cuModuleLoadDataEx(Module* module, const void* image, unsigned, int*, void** values) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  if (const auto code = behaviour().number("load")) {
    if (values != nullptr) std::strcpy(static_cast<char*>(values[0]), "made for another\ndevice");
    return static_cast<Code>(*code);
  }
  *module = reinterpret_cast<Module>(owned<FakeModule>().make({fake_cuda::source_in(image), {}}));
  return kSuccess;
}
FAKE_EXPORT Code cuModuleUnload(Module module) {
  owned<FakeModule>().release(module);
  return kSuccess;
}
FAKE_EXPORT Code cuModuleGetFunction(Function* function, Module module, const char* name) {
  auto& held = *reinterpret_cast<FakeModule*>(module);
  if (held.source.empty()) {  // what a real compiler made: its kernels do nothing, whatever they take
    held.functions.push_back(std::make_unique<ModelFunction>(ModelFunction{"", name}));
    *function = reinterpret_cast<Function>(held.functions.back().get());
    return kSuccess;
  }
  for (const auto& kernel : fake_cuda::kernels_in(held.source)) {
    if (kernel.name != name) continue;
    held.functions.push_back(
        std::make_unique<ModelFunction>(ModelFunction{held.source, kernel.name, kernel.parameters - kernel.maps, kernel.maps}));
    *function = reinterpret_cast<Function>(held.functions.back().get());
    return kSuccess;
  }
  return kNotFound;
}
FAKE_EXPORT Code cuModuleGetGlobal_v2(DevicePointer*, std::size_t*, Module, const char*) {
  return kNotFound;
}
FAKE_EXPORT Code cuFuncGetAttribute(int* value, int, Function) {
  *value = 32;
  return kSuccess;
}
FAKE_EXPORT Code cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute != kFunctionMaxDynamicSharedBytes) return kSuccess;
  int most = 0;
  cuDeviceGetAttribute(&most, kMaxSharedPerBlockOptin, 0);
  if (value < 0 || value > most) return kInvalidValue;
  reinterpret_cast<ModelFunction*>(function)->most_dynamic_shared = static_cast<unsigned>(value);
  return kSuccess;
}
FAKE_EXPORT Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int, std::size_t) {
  *blocks = static_cast<int>(behaviour().number("occupancy").value_or(8));
  return kSuccess;
}

namespace {

Code queue_launch(LaunchOf launch, void** arguments) {
  const ModelFunction& function = *launch.function;
  if (launch.dynamic_shared > function.most_dynamic_shared) return kInvalidValue;
  for (int i = 0; i < function.parameters; ++i) {  // taken over now, as the real one does
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[i], sizeof value);
    launch.arguments.push_back(value);
  }
  for (int i = 0; i < function.maps; ++i) {
    std::memcpy(&launch.maps.emplace_back(), arguments[function.parameters + i], sizeof(EncodedMap));
    if (launch.maps.back().mark != kMapMark) return misuse(kInvalidValue);
  }
  const char* const runner = std::getenv("FUSELAB_FAKE_CUDA_RUNNER");
  const bool executed = runner != nullptr && *runner != '\0';
  const Code code = queue([launch] { return run(launch); }, executed ? kExecutedLaunchTime : kLaunchTime);
  return code == kSuccess ? wait_if_blocking() : code;
}

// The blocks of a cluster that a launch asks for; 0: what it asks for cannot be.
unsigned cluster_of(const LaunchWithAttributes& launch) {
  unsigned cluster = 1;
  for (unsigned i = 0; i < launch.attribute_count; ++i) {
    const LaunchAttribute& each = launch.attributes[i];
    if (each.id != kLaunchClusterDimension || each.value[1] != 1 || each.value[2] != 1) return 0;
    cluster = each.value[0];
  }
  return cluster >= 1 && cluster <= 8 && launch.grid[0] % cluster == 0 ? cluster : 0;
}

}  // namespace

FAKE_EXPORT Code cuLaunchKernel(Function function, unsigned x, unsigned, unsigned, unsigned block, unsigned, unsigned,
                                unsigned shared, Stream, void** arguments, void**) {
  return queue_launch({reinterpret_cast<const ModelFunction*>(function), x, block, shared, {}, {}}, arguments);
}
FAKE_EXPORT Code cuLaunchKernelEx(const LaunchWithAttributes* launch, Function function, void** arguments, void**) {
  const unsigned cluster = cluster_of(*launch);
  if (cluster == 0) return misuse(kInvalidValue);
  return queue_launch(
      {reinterpret_cast<const ModelFunction*>(function), launch->grid[0], launch->block[0], launch->shared_bytes, {}, {}, cluster},
      arguments);
}
FAKE_EXPORT Code cuOccupancyMaxActiveClusters(int* clusters, Function, const LaunchWithAttributes* launch) {
  if (cluster_of(*launch) == 0) return misuse(kInvalidValue);
  *clusters = static_cast<int>(behaviour().number("clusters").value_or(66));
  return kSuccess;
}
// Whatever the driver's manual does not allow is misuse: ours asks itself before.
FAKE_EXPORT Code cuTensorMapEncodeTiled(TensorMapBytes* map, int type, std::uint32_t axes, void* address,
                                        const std::uint64_t* extents, const std::uint64_t* strides, const std::uint32_t* box,
                                        const std::uint32_t* element_strides, int interleave, int swizzle, int promotion,
                                        int fill) {
  EncodedMap held;
  held.address = reinterpret_cast<std::uint64_t>(address);
  constexpr unsigned kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  if (type < 0 || type > kMapBF16 || axes < 1 || axes > 5 || interleave != 0 || fill != 0 || promotion < 0 || promotion > 3)
    return misuse(kInvalidValue);
  if (held.address % 16 != 0 || swizzle < 0 || swizzle > kMapSwizzle128) return misuse(kInvalidValue);
  const unsigned row = box[0] * kBytes[type];
  if (row % 16 != 0 || (swizzle != 0 && row > (16U << swizzle))) return misuse(kInvalidValue);
  for (std::uint32_t axis = 0; axis < axes; ++axis) {
    if (extents[axis] < 1 || extents[axis] > (1ULL << 32) || box[axis] < 1 || box[axis] > 256 || element_strides[axis] != 1)
      return misuse(kInvalidValue);
    held.extents[axis] = extents[axis];
    held.box[axis] = static_cast<std::uint16_t>(box[axis]);
    if (axis + 1 == axes) break;
    if (strides[axis] % 16 != 0 || strides[axis] >= (1ULL << 40)) return misuse(kInvalidValue);
    held.strides[axis] = strides[axis];
  }
  held.axes = static_cast<std::uint8_t>(axes);
  held.type = static_cast<std::uint8_t>(type);
  held.swizzle = static_cast<std::uint8_t>(swizzle);
  held.mark = kMapMark;
  std::memcpy(map, &held, sizeof held);
  return kSuccess;
}

FAKE_EXPORT Code cuStreamCreate(Stream* stream, unsigned) {
  *stream = reinterpret_cast<Stream>(&model());
  return kSuccess;
}
FAKE_EXPORT Code cuStreamDestroy_v2(Stream) {
  return kSuccess;
}
FAKE_EXPORT Code cuStreamSynchronize(Stream) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  return model().synchronize();
}
FAKE_EXPORT Code cuStreamWaitValue32_v2(Stream, DevicePointer address, std::uint32_t value, unsigned) {
  if (behaviour().has("ungated")) return kNotSupported;
  return queue(
      [=] {
        // As a stream does that nobody lets go on: for ever.
        while (std::atomic_ref(*reinterpret_cast<std::uint32_t*>(address)).load() != value) usleep(1000);
        return kSuccess;
      },
      0);
}

FAKE_EXPORT Code cuEventCreate(Event* event, unsigned) {
  *event = reinterpret_cast<Event>(owned<FakeEvent>().make({}));
  return kSuccess;
}
FAKE_EXPORT Code cuEventDestroy_v2(Event event) {
  owned<FakeEvent>().release(event);
  return kSuccess;
}
FAKE_EXPORT Code cuEventRecord(Event event, Stream) {
  return queue([=] { return reinterpret_cast<FakeEvent*>(event)->at = model().now(), kSuccess; }, kEventTime);
}
FAKE_EXPORT Code cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  const double from = reinterpret_cast<FakeEvent*>(start)->at, to = reinterpret_cast<FakeEvent*>(end)->at;
  if (from < 0 || to < 0) return kNotReady;
  *milliseconds = static_cast<float>((to - from) * 1e-6);
  return kSuccess;
}

FAKE_EXPORT Code cuStreamBeginCapture_v2(Stream, int) {
  if (const Code code = in_context(); code != kSuccess) return code;
  if (model().capturing()) return misuse(kIllegalState);
  model().begin_capture();
  return kSuccess;
}
FAKE_EXPORT Code cuStreamEndCapture(Stream, Graph* graph) {
  if (!model().capturing()) return misuse(kIllegalState);
  const bool spoilt = model().capture_is_spoilt();
  if (spoilt) model().end_capture();
  if (spoilt) return kCaptureInvalidated;
  auto* const made = owned<FakeGraph>().make({model().end_capture()});
  largest_graph = std::max(largest_graph, static_cast<int>(made->operations.size()));
  *graph = reinterpret_cast<Graph>(made);
  return kSuccess;
}
// For tests, through dlsym.
FAKE_EXPORT int fuselab_fake_cuda_largest_graph() {
  return largest_graph;
}
FAKE_EXPORT Code cuGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long) {
  *exec = reinterpret_cast<GraphExec>(owned<FakeGraph>().make(*reinterpret_cast<FakeGraph*>(graph)));
  return kSuccess;
}
FAKE_EXPORT Code cuGraphUpload(GraphExec, Stream) {
  return outside_capture();
}
FAKE_EXPORT Code cuGraphLaunch(GraphExec exec, Stream) {
  if (const Code code = outside_capture(); code != kSuccess) return code;
  for (const auto& [operation, nanoseconds] : reinterpret_cast<FakeGraph*>(exec)->operations) {
    if (const Code code = queue(operation, nanoseconds); code != kSuccess) return code;
  }
  return wait_if_blocking();
}
FAKE_EXPORT Code cuGraphExecDestroy(GraphExec exec) {
  owned<FakeGraph>().release(exec);
  return kSuccess;
}
FAKE_EXPORT Code cuGraphDestroy(Graph graph) {
  owned<FakeGraph>().release(graph);
  return kSuccess;
}

namespace {

struct Known {
  const char* name;
  void* function;
};
template <typename F>
Known known(const char* name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

// Knows some functions only; the others are found by their exported names.
FAKE_EXPORT Code cuGetProcAddress_v2(const char* symbol, void** function, int, std::uint64_t, int* status) {
  const Known all[] = {known("cuMemAlloc", cuMemAlloc_v2), known("cuLaunchKernel", cuLaunchKernel)};
  *status = 1;
  *function = nullptr;
  if (behaviour().has("plain")) return kNotFound;
  for (const Known& each : all) {
    if (std::strcmp(each.name, symbol) != 0) continue;
    *function = each.function;
    *status = 0;
    return kSuccess;
  }
  return kNotFound;
}
