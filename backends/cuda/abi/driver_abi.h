// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of the CUDA driver's interface that Fuselab uses, declared here so that no CUDA header is needed to build.
// tests/unit/cuda/abi_test.cpp compares every constant and signature with cuda.h where there is one.
namespace fuselab::cuda::abi {

using Code = int;  // CUresult
inline constexpr Code kSuccess = 0;
inline constexpr Code kInvalidValue = 1;
inline constexpr Code kOutOfMemory = 2;
inline constexpr Code kStubLibrary = 34;
inline constexpr Code kDeviceUnavailable = 46;
inline constexpr Code kNoDevice = 100;
inline constexpr Code kInvalidImage = 200;
inline constexpr Code kNoBinaryForGpu = 209;
inline constexpr Code kEccUncorrectable = 214;
inline constexpr Code kInvalidPtx = 218;
inline constexpr Code kNvlinkUncorrectable = 220;
inline constexpr Code kUnsupportedPtxVersion = 222;
inline constexpr Code kContained = 226;
inline constexpr Code kInvalidSource = 300;
inline constexpr Code kNotFound = 500;
inline constexpr Code kNotReady = 600;
inline constexpr Code kIllegalAddress = 700;
inline constexpr Code kLaunchOutOfResources = 701;
inline constexpr Code kLaunchTimeout = 702;
inline constexpr Code kContextIsDestroyed = 709;
inline constexpr Code kAssert = 710;
inline constexpr Code kHardwareStackError = 714;
inline constexpr Code kIllegalInstruction = 715;
inline constexpr Code kMisalignedAddress = 716;
inline constexpr Code kInvalidAddressSpace = 717;
inline constexpr Code kInvalidPc = 718;
inline constexpr Code kLaunchFailed = 719;
inline constexpr Code kTensorMemoryLeak = 721;
inline constexpr Code kNotSupported = 801;
inline constexpr Code kSystemNotReady = 802;
inline constexpr Code kSystemDriverMismatch = 803;
inline constexpr Code kCompatNotSupportedOnDevice = 804;
inline constexpr Code kExternalDevice = 911;
inline constexpr Code kUnknown = 999;

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;
struct Uuid {
  char bytes[16];
};

// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMaxGridDimX = 5;
inline constexpr int kMaxSharedPerBlock = 8;
inline constexpr int kWarpSize = 10;
inline constexpr int kMaxRegistersPerBlock = 12;
inline constexpr int kClockRate = 13;  // kHz
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kKernelExecTimeout = 17;
inline constexpr int kIntegrated = 18;
inline constexpr int kComputeMode = 20;
inline constexpr int kEccEnabled = 32;
inline constexpr int kPciBusId = 33;
inline constexpr int kPciDeviceId = 34;
inline constexpr int kMemoryClockRate = 36;  // kHz
inline constexpr int kMemoryBusWidth = 37;   // bits
inline constexpr int kL2CacheSize = 38;
inline constexpr int kMaxThreadsPerMultiprocessor = 39;
inline constexpr int kPciDomainId = 50;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kMaxSharedPerMultiprocessor = 81;
inline constexpr int kMaxRegistersPerMultiprocessor = 82;
inline constexpr int kMaxSharedPerBlockOptin = 97;
inline constexpr int kMaxBlocksPerMultiprocessor = 106;
inline constexpr int kReservedSharedPerBlock = 111;

// CUfunction_attribute
inline constexpr int kFunctionMaxThreadsPerBlock = 0;
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicSharedBytes = 8;

// CUjit_option
inline constexpr int kJitErrorLogBuffer = 5;
inline constexpr int kJitErrorLogBufferBytes = 6;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kHostAllocDeviceMap = 2;
inline constexpr unsigned kStreamWaitEqual = 1;
inline constexpr int kCaptureThreadLocal = 1;

// The functions, in the versions that CUDA 12.0 has.
struct DriverFunctions {
  Code (*init)(unsigned flags);
  Code (*driver_version)(int* version);
  Code (*error_name)(Code code, const char** name);
  Code (*error_text)(Code code, const char** text);
  Code (*device_count)(int* count);
  Code (*device_get)(Device* device, int ordinal);
  Code (*device_name)(char* name, int length, Device device);
  Code (*device_uuid)(Uuid* uuid, Device device);
  Code (*device_total_memory)(std::size_t* bytes, Device device);
  Code (*device_attribute)(int* value, int attribute, Device device);
  Code (*context_retain)(Context* context, Device device);
  Code (*context_release)(Device device);
  Code (*context_set)(Context context);
  Code (*memory_info)(std::size_t* free, std::size_t* total);
  Code (*allocate)(DevicePointer* pointer, std::size_t bytes);
  Code (*release)(DevicePointer pointer);
  Code (*host_allocate)(void** pointer, std::size_t bytes, unsigned flags);
  Code (*host_release)(void* pointer);
  Code (*host_device_pointer)(DevicePointer* device, void* host, unsigned flags);
  Code (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Code (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes, Stream stream);
  Code (*copy_on_device)(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream);
  Code (*fill_16)(DevicePointer to, unsigned short value, std::size_t count, Stream stream);
  Code (*fill_32)(DevicePointer to, unsigned value, std::size_t count, Stream stream);
  Code (*module_load)(Module* module, const void* image, unsigned options, int* names, void** values);
  Code (*module_unload)(Module module);
  Code (*module_function)(Function* function, Module module, const char* name);
  Code (*module_global)(DevicePointer* address, std::size_t* bytes, Module module, const char* name);
  Code (*function_attribute)(int* value, int attribute, Function function);
  Code (*set_function_attribute)(Function function, int attribute, int value);
  Code (*occupancy)(int* blocks, Function function, int block_size, std::size_t dynamic_shared);
  Code (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                 unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments, void** extra);
  Code (*stream_create)(Stream* stream, unsigned flags);
  Code (*stream_destroy)(Stream stream);
  Code (*stream_synchronize)(Stream stream);
  Code (*stream_wait_value)(Stream stream, DevicePointer address, std::uint32_t value, unsigned flags);
  Code (*event_create)(Event* event, unsigned flags);
  Code (*event_destroy)(Event event);
  Code (*event_record)(Event event, Stream stream);
  Code (*event_elapsed)(float* milliseconds, Event start, Event end);
  Code (*capture_begin)(Stream stream, int mode);
  Code (*capture_end)(Stream stream, Graph* graph);
  Code (*graph_instantiate)(GraphExec* exec, Graph graph, unsigned long long flags);
  Code (*graph_upload)(GraphExec exec, Stream stream);
  Code (*graph_launch)(GraphExec exec, Stream stream);
  Code (*graph_exec_destroy)(GraphExec exec);
  Code (*graph_destroy)(Graph graph);
};

// cuGetProcAddress_v2
using GetProcAddress = Code (*)(const char* symbol, void** function, int cuda_version, std::uint64_t flags, int* status);

}  // namespace fuselab::cuda::abi
