// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/gpu/stream/driver_functions.h"

// The part of HIP's interface that Fuselab uses, declared here so that no ROCm header is needed to build. Codes, flags and device
// attributes were looked up in hip_runtime_api.h of HIP 5.2.3 (Debian) and 7.1 (Triton's wheel) and in AMD's Python bindings of HIP
// 10.0: later versions add names and renumber none of these. Only the structure of a device's properties changed, in 6.0. A pointer
// of the device is a void* to HIP and an integer to the common table: both are passed alike.
// tests/unit/rocm/abi_test.cpp compares them with the headers where there are any.
namespace fuselab::hip::abi {

using namespace gpu::stream::abi;

// hipError_t
inline constexpr Code kInvalidValue = 1;
inline constexpr Code kOutOfMemory = 2;
inline constexpr Code kInsufficientDriver = 35;
inline constexpr Code kNoDevice = 100;
inline constexpr Code kInvalidDevice = 101;
inline constexpr Code kInvalidImage = 200;
inline constexpr Code kNoBinaryForGpu = 209;
inline constexpr Code kEccNotCorrectable = 214;
inline constexpr Code kInvalidKernelFile = 218;
inline constexpr Code kInvalidSource = 300;
inline constexpr Code kIllegalAddress = 700;
inline constexpr Code kLaunchTimeout = 702;
inline constexpr Code kContextIsDestroyed = 709;
inline constexpr Code kAssert = 710;
inline constexpr Code kLaunchFailure = 719;
inline constexpr Code kNotSupported = 801;
inline constexpr Code kUnknown = 999;
inline constexpr Code kRuntimeMemory = 1052;
inline constexpr Code kRuntimeOther = 1053;

// hipDeviceAttribute_t
inline constexpr int kEccEnabled = 0;
inline constexpr int kClockRate = 5;  // kHz
inline constexpr int kIntegrated = 16;
inline constexpr int kKernelExecTimeout = 18;
inline constexpr int kL2CacheSize = 19;
inline constexpr int kMaxThreadsPerBlock = 56;
inline constexpr int kMaxThreadsPerMultiprocessor = 57;
inline constexpr int kMemoryBusWidth = 59;   // bits
inline constexpr int kMemoryClockRate = 60;  // kHz
inline constexpr int kMultiprocessorCount = 63;
inline constexpr int kMaxSharedPerBlock = 74;
inline constexpr int kWarpSize = 87;
inline constexpr int kMaxSharedPerMultiprocessor = 10002;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kHostMallocMapped = 2;
inline constexpr unsigned kHostMallocCoherent = 0x40000000;
inline constexpr unsigned kStreamWaitEqual = 1;
inline constexpr int kCaptureThreadLocal = 1;

inline constexpr int kHip6 = 60000000;  // versions are 10,000,000 × major + 100,000 × minor + patch

// Where gcnArchName, 256 characters, lies in a device's properties: in hipDeviceProp_t, which hipGetDeviceProperties fills, and in
// hipDeviceProp_tR0600, which hipGetDevicePropertiesR0600 fills since 6.0.
inline constexpr std::size_t kArchNameBefore6 = 396;
inline constexpr std::size_t kArchNameSince6 = 1160;

// The functions that differ from those of the common table in their arguments or in how they answer, or that it does not have.
struct HipFunctions {
  const char* (*error_name)(Code code);
  const char* (*error_text)(Code code);
  Code (*set_device)(int ordinal);
  Code (*device_place)(char* text, int length, int ordinal);
  Code (*properties)(void* properties, int ordinal);
  Code (*module_load)(Module* module, const void* image);
  Code (*stream_wait_value)(Stream stream, void* address, std::uint32_t value, unsigned flags, std::uint32_t mask);
};

// X(entry, name) of the functions that every version since 5.2 has: of the common table, those with templates of the same name in
// C++, and HIP's own.
// clang-format off
#define FL_HIP_COMMON_CALLS(X) \
  X(init, hipInit) X(driver_version, hipRuntimeGetVersion) X(device_count, hipGetDeviceCount) X(device_get, hipDeviceGet) \
  X(device_name, hipDeviceGetName) X(device_uuid, hipDeviceGetUuid) X(device_total_memory, hipDeviceTotalMem) \
  X(device_attribute, hipDeviceGetAttribute) X(memory_info, hipMemGetInfo) X(release, hipFree) X(host_release, hipHostFree) \
  X(host_device_pointer, hipHostGetDevicePointer) X(copy_to_device, hipMemcpyHtoDAsync) X(copy_to_host, hipMemcpyDtoHAsync) \
  X(copy_on_device, hipMemcpyDtoDAsync) X(fill_16, hipMemsetD16Async) X(fill_32, hipMemsetD32Async) \
  X(module_unload, hipModuleUnload) X(module_function, hipModuleGetFunction) X(module_global, hipModuleGetGlobal) \
  X(function_attribute, hipFuncGetAttribute) X(launch, hipModuleLaunchKernel) X(stream_create, hipStreamCreateWithFlags) \
  X(stream_destroy, hipStreamDestroy) X(stream_synchronize, hipStreamSynchronize) X(event_create, hipEventCreateWithFlags) \
  X(event_destroy, hipEventDestroy) X(event_record, hipEventRecord) X(event_elapsed, hipEventElapsedTime) \
  X(capture_begin, hipStreamBeginCapture) X(capture_end, hipStreamEndCapture) \
  X(graph_instantiate, hipGraphInstantiateWithFlags) X(graph_launch, hipGraphLaunch) \
  X(graph_exec_destroy, hipGraphExecDestroy) X(graph_destroy, hipGraphDestroy)
#define FL_HIP_OVERLOADED_CALLS(X) \
  X(allocate, hipMalloc) X(host_allocate, hipHostMalloc) X(occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
#define FL_HIP_OWN_CALLS(X) \
  X(error_name, hipGetErrorName) X(error_text, hipGetErrorString) X(set_device, hipSetDevice) \
  X(device_place, hipDeviceGetPCIBusId) X(module_load, hipModuleLoadData) X(stream_wait_value, hipStreamWaitValue32)
// clang-format on

}  // namespace fuselab::hip::abi
