// SPDX-License-Identifier: Apache-2.0
// A library that looks like HIP's runtime with AMD's MI300X in front of the fake CUDA driver's device: HIP's codes and handles are
// CUDA's. $FUSELAB_FAKE_HIP says how it behaves, separated by commas: "version=43000000", "init=100" (any code), "init=crash",
// "init=hang", "devices=2", "unwell=1" (that one does not answer), "arch=gfx1100", "arch1=gfx90a" (of the second), "nameless" (it
// tells no architecture), "numberless" (its UUID is none), and "memory", "launch", "load", "faulty", "stray", "occupancy",
// "ungated" and "trace" of the fake CUDA driver. "refused" (streams refuse the address of a word). Built with FAKE_HIP_5 it is one
// before 6.0.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

#include "backends/rocm/abi/hip_abi.h"
#include "tests/support/fake_cuda/fake_state.h"

using namespace fuselab;
using namespace fuselab::hip::abi;
using fuselab::fake_cuda::Behaviour;
using fuselab::fake_cuda::behaviour;
using fuselab::fake_cuda::misuse;
using fuselab::fake_cuda::started;

#define HIP_EXPORT extern "C" __attribute__((visibility("default")))

// What the fake CUDA driver answers, unseen from outside.
extern "C" {
Code cuInit(unsigned);
Code cuDevicePrimaryCtxRetain(Context*, Device);
Code cuCtxSetCurrent(Context);
Code cuMemGetInfo_v2(std::size_t*, std::size_t*);
Code cuMemAlloc_v2(DevicePointer*, std::size_t);
Code cuMemFree_v2(DevicePointer);
Code cuMemHostAlloc(void**, std::size_t, unsigned);
Code cuMemFreeHost(void*);
Code cuMemcpyHtoDAsync_v2(DevicePointer, const void*, std::size_t, Stream);
Code cuMemcpyDtoHAsync_v2(void*, DevicePointer, std::size_t, Stream);
Code cuMemcpyDtoDAsync_v2(DevicePointer, DevicePointer, std::size_t, Stream);
Code cuMemsetD16Async(DevicePointer, unsigned short, std::size_t, Stream);
Code cuMemsetD32Async(DevicePointer, unsigned, std::size_t, Stream);
Code cuModuleLoadDataEx(Module*, const void*, unsigned, int*, void**);
Code cuModuleUnload(Module);
Code cuModuleGetFunction(Function*, Module, const char*);
Code cuModuleGetGlobal_v2(DevicePointer*, std::size_t*, Module, const char*);
Code cuFuncGetAttribute(int*, int, Function);
Code cuFuncSetAttribute(Function, int, int);
Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, Function, int, std::size_t);
Code cuLaunchKernel(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**);
Code cuStreamCreate(Stream*, unsigned);
Code cuStreamDestroy_v2(Stream);
Code cuStreamSynchronize(Stream);
Code cuStreamWaitValue32_v2(Stream, DevicePointer, std::uint32_t, unsigned);
Code cuEventCreate(Event*, unsigned);
Code cuEventDestroy_v2(Event);
Code cuEventRecord(Event, Stream);
Code cuEventElapsedTime(float*, Event, Event);
Code cuStreamBeginCapture_v2(Stream, int);
Code cuStreamEndCapture(Stream, Graph*);
Code cuGraphInstantiateWithFlags(GraphExec*, Graph, unsigned long long);
Code cuGraphUpload(GraphExec, Stream);
Code cuGraphLaunch(GraphExec, Stream);
Code cuGraphExecDestroy(GraphExec);
Code cuGraphDestroy(Graph);
}

namespace {

constexpr int kLocalMemory = 64 << 10;  // bytes of a work-group

DevicePointer address(const void* pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

Code of_device(int device) {
  if (const Code code = started(); code != kSuccess) return code;
  const auto devices = behaviour().number("devices").value_or(1);
  return device >= 0 && device < devices ? kSuccess : misuse(kInvalidDevice);
}

Code describe_device(void* properties, int device, std::size_t arch_name) {
  const Behaviour asked = behaviour();
  const std::string first = asked.text("arch").value_or("gfx942:sramecc+:xnack-");
  const std::string arch = asked.has("nameless") ? "" : device == 1 ? asked.text("arch1").value_or(first) : first;
  std::memcpy(static_cast<char*>(properties) + arch_name, arch.c_str(), arch.size() + 1);
  return of_device(device);
}

struct Known {
  int number, value;
};
constexpr Known kAttributes[] = {{kEccEnabled, 1},
                                 {kClockRate, 2100000},
                                 {kL2CacheSize, 1 << 20},  // small: it is the host's memory that is flushed
                                 {kMaxThreadsPerBlock, 1024},
                                 {kMaxThreadsPerMultiprocessor, 2048},
                                 {kMemoryBusWidth, 8192},
                                 {kMemoryClockRate, 1300000},
                                 {kMultiprocessorCount, 304},
                                 {kMaxSharedPerBlock, kLocalMemory},
                                 {kWarpSize, 64},
                                 {kMaxSharedPerMultiprocessor, kLocalMemory}};

struct Named {
  Code code;
  const char* name;
};
constexpr Named kNames[] = {{kOutOfMemory, "hipErrorOutOfMemory"},

                            {kInsufficientDriver, "hipErrorInsufficientDriver"},
                            {kNoDevice, "hipErrorNoDevice"},
                            {kInvalidDevice, "hipErrorInvalidDevice"},
                            {kNoBinaryForGpu, "hipErrorNoBinaryForGpu"},
                            {kIllegalAddress, "hipErrorIllegalAddress"},
                            {kLaunchTimeout, "hipErrorLaunchTimeOut"},
                            {kLaunchFailure, "hipErrorLaunchFailure"}};

}  // namespace

// ROCm's runtimes tell a profiler that is loaded already of their start, and it takes their calls.
namespace {
using TellLaunch = void (*)(const void* function, const char* name, const unsigned* grid, const unsigned* block, unsigned shared);
TellLaunch tell_launch = nullptr;

void meet_profiler() {
  const char* const file = std::getenv("ROCPROFILER_REGISTER_LIBRARY");
  if (file == nullptr || std::getenv("ROCPROFILER_REGISTER_FORCE_LOAD") == nullptr) return;
  void* const library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return;
  using SetTable = int (*)(const char*, std::uint64_t, std::uint64_t, void**, std::uint64_t);
  const auto set = reinterpret_cast<SetTable>(dlsym(library, "rocprofiler_set_api_table"));
  void* table = nullptr;
  if (set != nullptr && set("hip", 1, 0, &table, 1) == 0) tell_launch = reinterpret_cast<TellLaunch>(table);
}
}  // namespace

// For the parts of the fake CUDA driver, which ask for the memory that its device has.
extern "C" Code cuDeviceTotalMem_v2(std::size_t* bytes, Device) {
  *bytes = static_cast<std::size_t>(behaviour().number("memory").value_or(192L << 30));
  return kSuccess;
}
extern "C" Code cuDeviceGetAttribute(int* value, int, Device) {
  return *value = kLocalMemory, kSuccess;
}

HIP_EXPORT Code hipInit(unsigned flags) {
  meet_profiler();
  return cuInit(flags);
}
HIP_EXPORT Code hipRuntimeGetVersion(int* version) {
#ifdef FAKE_HIP_5
  constexpr long kVersion = 50221153;
#else
  constexpr long kVersion = 70125424;
#endif
  *version = static_cast<int>(behaviour().number("version").value_or(kVersion));
  return kSuccess;
}
HIP_EXPORT const char* hipGetErrorName(Code code) {
  const auto* const known =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Named& each) { return each.code == code; });
  return known == std::end(kNames) ? "hipErrorUnknown" : known->name;
}
HIP_EXPORT const char* hipGetErrorString(Code) {
  return "an error";
}

HIP_EXPORT Code hipGetDeviceCount(int* count) {
  *count = static_cast<int>(behaviour().number("devices").value_or(1));
  return started();
}
HIP_EXPORT Code hipDeviceGet(Device* device, int ordinal) {
  *device = ordinal;
  return behaviour().number("unwell") == ordinal ? kInvalidDevice : of_device(ordinal);
}
HIP_EXPORT Code hipDeviceGetName(char* name, int length, Device device) {
  std::snprintf(name, static_cast<std::size_t>(length), "AMD Fake MI300X");
  return of_device(device);
}
HIP_EXPORT Code hipDeviceGetUuid(Uuid* uuid, Device device) {
  std::memset(uuid, 0, sizeof *uuid);
  if (behaviour().has("numberless")) return std::memcpy(uuid->bytes, "XX", 2), of_device(device);
  std::memcpy(uuid->bytes, "9a2f3c04d1e5b86", 15);
  uuid->bytes[15] = static_cast<char>('0' + device);
  return of_device(device);
}
HIP_EXPORT Code hipDeviceTotalMem(std::size_t* bytes, Device device) {
  cuDeviceTotalMem_v2(bytes, device);
  return of_device(device);
}
HIP_EXPORT Code hipDeviceGetAttribute(int* value, int attribute, Device device) {
  const auto* const known =
      std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const Known& each) { return each.number == attribute; });
  *value = known == std::end(kAttributes) ? 0 : known->value;
  return of_device(device);
}
HIP_EXPORT Code hipDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:c%d:00.0", 3 + device);
  return of_device(device);
}
HIP_EXPORT Code hipGetDeviceProperties(void* properties, int device) {
  return describe_device(properties, device, kArchNameBefore6);
}
#ifndef FAKE_HIP_5
HIP_EXPORT Code hipGetDevicePropertiesR0600(void* properties, int device) {
  return describe_device(properties, device, kArchNameSince6);
}
HIP_EXPORT Code hipGraphUpload(GraphExec exec, Stream stream) {
  return cuGraphUpload(exec, stream);
}
#endif

HIP_EXPORT Code hipSetDevice(int ordinal) {
  if (const Code code = of_device(ordinal); code != kSuccess) return code;
  Context context = nullptr;
  if (const Code code = cuDevicePrimaryCtxRetain(&context, ordinal); code != kSuccess) return code;
  return cuCtxSetCurrent(context);
}
HIP_EXPORT Code hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return cuMemGetInfo_v2(free, total);
}
HIP_EXPORT Code hipMalloc(void** pointer, std::size_t bytes) {
  DevicePointer given = 0;
  const Code code = cuMemAlloc_v2(&given, bytes);
  return *pointer = reinterpret_cast<void*>(given), code;
}
HIP_EXPORT Code hipFree(void* pointer) {
  return cuMemFree_v2(address(pointer));
}
HIP_EXPORT Code hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) {
  return flags == (kHostMallocMapped | kHostMallocCoherent) ? cuMemHostAlloc(pointer, bytes, flags) : misuse(kInvalidValue);
}
HIP_EXPORT Code hipHostFree(void* pointer) {
  return cuMemFreeHost(pointer);
}
HIP_EXPORT Code hipHostGetDevicePointer(void** device, void* host, unsigned) {
  return *device = host, kSuccess;
}
HIP_EXPORT Code hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, Stream stream) {
  return cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream);
}
HIP_EXPORT Code hipMemcpyDtoHAsync(void* to, void* from, std::size_t bytes, Stream stream) {
  return cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream);
}
HIP_EXPORT Code hipMemcpyDtoDAsync(void* to, void* from, std::size_t bytes, Stream stream) {
  return cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream);
}
HIP_EXPORT Code hipMemsetD16Async(void* to, unsigned short value, std::size_t count, Stream stream) {
  return cuMemsetD16Async(address(to), value, count, stream);
}
HIP_EXPORT Code hipMemsetD32Async(void* to, int value, std::size_t count, Stream stream) {
  return cuMemsetD32Async(address(to), static_cast<unsigned>(value), count, stream);
}
HIP_EXPORT Code hipModuleLoadData(Module* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
HIP_EXPORT Code hipModuleUnload(Module module) {
  return cuModuleUnload(module);
}
HIP_EXPORT Code hipModuleGetFunction(Function* function, Module module, const char* name) {
  if (const Code code = cuModuleGetFunction(function, module, name); code != kSuccess) return code;
  constexpr int kMostDynamicShared = 8;  // to CUDA; a launch of HIP's need not ask
  return cuFuncSetAttribute(*function, kMostDynamicShared, kLocalMemory);
}
HIP_EXPORT Code hipModuleGetGlobal(void**, std::size_t* bytes, Module module, const char* name) {
  DevicePointer given = 0;
  return cuModuleGetGlobal_v2(&given, bytes, module, name);
}
HIP_EXPORT Code hipFuncGetAttribute(int* value, int attribute, Function function) {
  return cuFuncGetAttribute(value, attribute, function);
}
HIP_EXPORT Code hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function function, int threads,
                                                                   std::size_t dynamic_shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic_shared);
}
HIP_EXPORT Code hipModuleLaunchKernel(Function function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                                      unsigned block_z, unsigned shared, Stream stream, void** arguments, void** extra) {
  const unsigned grid[] = {x, y, z}, block[] = {block_x, block_y, block_z};
  if (tell_launch != nullptr) tell_launch(function, "fake_kernel.kd", grid, block, shared);
  return cuLaunchKernel(function, x, y, z, block_x, block_y, block_z, shared, stream, arguments, extra);
}
HIP_EXPORT Code hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return flags == kStreamNonBlocking ? cuStreamCreate(stream, flags) : misuse(kInvalidValue);
}
HIP_EXPORT Code hipStreamDestroy(Stream stream) {
  return cuStreamDestroy_v2(stream);
}
HIP_EXPORT Code hipStreamSynchronize(Stream stream) {
  return cuStreamSynchronize(stream);
}
HIP_EXPORT Code hipStreamWaitValue32(Stream stream, void* pointer, std::uint32_t value, unsigned flags, std::uint32_t mask) {
  if (flags != kStreamWaitEqual || mask != 0xffffffff) return misuse(kInvalidValue);
  return behaviour().has("refused") ? kInvalidValue : cuStreamWaitValue32_v2(stream, address(pointer), value, flags);
}
HIP_EXPORT Code hipEventCreateWithFlags(Event* event, unsigned flags) {
  return cuEventCreate(event, flags);
}
HIP_EXPORT Code hipEventDestroy(Event event) {
  return cuEventDestroy_v2(event);
}
HIP_EXPORT Code hipEventRecord(Event event, Stream stream) {
  return cuEventRecord(event, stream);
}
HIP_EXPORT Code hipEventElapsedTime(float* milliseconds, Event start, Event end) {
  return cuEventElapsedTime(milliseconds, start, end);
}
HIP_EXPORT Code hipStreamBeginCapture(Stream stream, int mode) {
  return mode == kCaptureThreadLocal ? cuStreamBeginCapture_v2(stream, mode) : misuse(kInvalidValue);
}
HIP_EXPORT Code hipStreamEndCapture(Stream stream, Graph* graph) {
  return cuStreamEndCapture(stream, graph);
}
HIP_EXPORT Code hipGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long flags) {
  return cuGraphInstantiateWithFlags(exec, graph, flags);
}
HIP_EXPORT Code hipGraphLaunch(GraphExec exec, Stream stream) {
  return cuGraphLaunch(exec, stream);
}
HIP_EXPORT Code hipGraphExecDestroy(GraphExec exec) {
  return cuGraphExecDestroy(exec);
}
HIP_EXPORT Code hipGraphDestroy(Graph graph) {
  return cuGraphDestroy(graph);
}

// For libraries that look like AMD's: `run(held)` is one operation on the device's stream, as a kernel of theirs is.
HIP_EXPORT Code fuselab_fake_hip_queue(Code (*run)(void*), void* held, void (*drop)(void*)) {
  constexpr double kKernelTime = 5000;
  std::shared_ptr<void> kept(held, drop);
  if (const Code code = fake_cuda::in_context(); code != kSuccess) return code;
  if (fake_cuda::model().failed() != kSuccess) return fake_cuda::model().failed();
  fake_cuda::model().queue([run, kept] { return run(kept.get()); }, kKernelTime);
  return kSuccess;
}
// For tests, through dlsym.
extern "C" int fuselab_fake_cuda_misuses();
HIP_EXPORT int fuselab_fake_hip_misuses() {
  return fuselab_fake_cuda_misuses();
}
