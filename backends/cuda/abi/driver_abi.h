// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/gpu/stream/driver_functions.h"

// The part of the CUDA driver's interface that Fuselab uses, declared here so that no CUDA header is needed to build: its codes and
// numbers. The functions, in the versions that CUDA 12.0 has, are the table of backends/gpu/stream.
// tests/unit/cuda/abi_test.cpp compares every constant and signature with cuda.h where there is one.
namespace fuselab::cuda::abi {

using namespace gpu::stream::abi;

// CUresult
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

// CUlaunchAttributeID
inline constexpr int kLaunchClusterDimension = 4;

// CUtensorMapDataType, CUtensorMapSwizzle (none is 0), CUtensorMapL2promotion
inline constexpr int kMapU8 = 0;
inline constexpr int kMapU16 = 1;
inline constexpr int kMapU32 = 2;
inline constexpr int kMapI32 = 3;
inline constexpr int kMapU64 = 4;
inline constexpr int kMapI64 = 5;
inline constexpr int kMapF16 = 6;
inline constexpr int kMapF32 = 7;
inline constexpr int kMapF64 = 8;
inline constexpr int kMapBF16 = 9;
inline constexpr int kMapSwizzle32 = 1;
inline constexpr int kMapSwizzle64 = 2;
inline constexpr int kMapSwizzle128 = 3;
inline constexpr int kMapPromotion128 = 2;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kHostAllocDeviceMap = 2;
inline constexpr unsigned kStreamWaitEqual = 1;
inline constexpr int kCaptureThreadLocal = 1;

// cuGetProcAddress_v2
using GetProcAddress = Code (*)(const char* symbol, void** function, int cuda_version, std::uint64_t flags, int* status);

}  // namespace fuselab::cuda::abi
