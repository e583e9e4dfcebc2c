// SPDX-License-Identifier: Apache-2.0
// Compiled only where NVIDIA's headers are: what we declare ourselves is what they say.
#include <cuda.h>
#include <gtest/gtest.h>
#include <nvrtc.h>
#if __has_include(<nvml.h>)
#include <nvml.h>
#endif

#include <tuple>

#include "backends/cuda/abi/device_attributes.h"
#include "backends/cuda/abi/driver_abi.h"
#include "backends/cuda/abi/nvrtc_abi.h"
#include "backends/sensors/abi/nvml_abi.h"
#include "tests/support/same_abi.h"

namespace fuselab::cuda {
namespace {

#define SAME_CALL(table, member, theirs) \
  static_assert(test::SameCall<decltype(abi::table::member), decltype(&::theirs)>::value, #theirs)
#define SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs)

SAME_CALL(DriverFunctions, init, cuInit);
SAME_CALL(DriverFunctions, driver_version, cuDriverGetVersion);
SAME_CALL(DriverFunctions, error_name, cuGetErrorName);
SAME_CALL(DriverFunctions, error_text, cuGetErrorString);
SAME_CALL(DriverFunctions, device_count, cuDeviceGetCount);
SAME_CALL(DriverFunctions, device_get, cuDeviceGet);
SAME_CALL(DriverFunctions, device_name, cuDeviceGetName);
SAME_CALL(DriverFunctions, device_uuid, cuDeviceGetUuid);
SAME_CALL(DriverFunctions, device_total_memory, cuDeviceTotalMem);
SAME_CALL(DriverFunctions, device_attribute, cuDeviceGetAttribute);
SAME_CALL(DriverFunctions, context_retain, cuDevicePrimaryCtxRetain);
SAME_CALL(DriverFunctions, context_release, cuDevicePrimaryCtxRelease);
SAME_CALL(DriverFunctions, context_set, cuCtxSetCurrent);
SAME_CALL(DriverFunctions, memory_info, cuMemGetInfo);
SAME_CALL(DriverFunctions, allocate, cuMemAlloc);
SAME_CALL(DriverFunctions, release, cuMemFree);
SAME_CALL(DriverFunctions, host_allocate, cuMemHostAlloc);
SAME_CALL(DriverFunctions, host_release, cuMemFreeHost);
SAME_CALL(DriverFunctions, host_device_pointer, cuMemHostGetDevicePointer);
SAME_CALL(DriverFunctions, copy_to_device, cuMemcpyHtoDAsync);
SAME_CALL(DriverFunctions, copy_to_host, cuMemcpyDtoHAsync);
SAME_CALL(DriverFunctions, copy_on_device, cuMemcpyDtoDAsync);
SAME_CALL(DriverFunctions, fill_16, cuMemsetD16Async);
SAME_CALL(DriverFunctions, fill_32, cuMemsetD32Async);
SAME_CALL(DriverFunctions, module_load, cuModuleLoadDataEx);
SAME_CALL(DriverFunctions, module_unload, cuModuleUnload);
SAME_CALL(DriverFunctions, module_function, cuModuleGetFunction);
SAME_CALL(DriverFunctions, module_global, cuModuleGetGlobal);
SAME_CALL(DriverFunctions, function_attribute, cuFuncGetAttribute);
SAME_CALL(DriverFunctions, set_function_attribute, cuFuncSetAttribute);
SAME_CALL(DriverFunctions, occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
SAME_CALL(DriverFunctions, launch, cuLaunchKernel);
SAME_CALL(DriverFunctions, launch_with, cuLaunchKernelEx);
SAME_CALL(DriverFunctions, occupancy_of_clusters, cuOccupancyMaxActiveClusters);
SAME_CALL(DriverFunctions, encode_tensor_map, cuTensorMapEncodeTiled);
SAME_CALL(DriverFunctions, stream_create, cuStreamCreate);
SAME_CALL(DriverFunctions, stream_destroy, cuStreamDestroy);
SAME_CALL(DriverFunctions, stream_synchronize, cuStreamSynchronize);
SAME_CALL(DriverFunctions, stream_wait_value, cuStreamWaitValue32);
SAME_CALL(DriverFunctions, event_create, cuEventCreate);
SAME_CALL(DriverFunctions, event_destroy, cuEventDestroy);
SAME_CALL(DriverFunctions, event_record, cuEventRecord);
SAME_CALL(DriverFunctions, event_elapsed, cuEventElapsedTime);
SAME_CALL(DriverFunctions, capture_begin, cuStreamBeginCapture);
SAME_CALL(DriverFunctions, capture_end, cuStreamEndCapture);
SAME_CALL(DriverFunctions, graph_instantiate, cuGraphInstantiateWithFlags);
SAME_CALL(DriverFunctions, graph_upload, cuGraphUpload);
SAME_CALL(DriverFunctions, graph_launch, cuGraphLaunch);
SAME_CALL(DriverFunctions, graph_exec_destroy, cuGraphExecDestroy);
SAME_CALL(DriverFunctions, graph_destroy, cuGraphDestroy);

SAME_CALL(NvrtcFunctions, version, nvrtcVersion);
SAME_CALL(NvrtcFunctions, error_text, nvrtcGetErrorString);
SAME_CALL(NvrtcFunctions, count_archs, nvrtcGetNumSupportedArchs);
SAME_CALL(NvrtcFunctions, archs, nvrtcGetSupportedArchs);
SAME_CALL(NvrtcFunctions, create, nvrtcCreateProgram);
SAME_CALL(NvrtcFunctions, destroy, nvrtcDestroyProgram);
SAME_CALL(NvrtcFunctions, compile, nvrtcCompileProgram);
SAME_CALL(NvrtcFunctions, log_size, nvrtcGetProgramLogSize);
SAME_CALL(NvrtcFunctions, log, nvrtcGetProgramLog);
SAME_CALL(NvrtcFunctions, cubin_size, nvrtcGetCUBINSize);
SAME_CALL(NvrtcFunctions, cubin, nvrtcGetCUBIN);
SAME_CALL(NvrtcFunctions, ptx_size, nvrtcGetPTXSize);
SAME_CALL(NvrtcFunctions, ptx, nvrtcGetPTX);

SAME_VALUE(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(kStubLibrary, CUDA_ERROR_STUB_LIBRARY);
SAME_VALUE(kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(kNoDevice, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME_VALUE(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME_VALUE(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME_VALUE(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(kInvalidSource, CUDA_ERROR_INVALID_SOURCE);
SAME_VALUE(kNotFound, CUDA_ERROR_NOT_FOUND);
SAME_VALUE(kNotReady, CUDA_ERROR_NOT_READY);
SAME_VALUE(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME_VALUE(kAssert, CUDA_ERROR_ASSERT);
SAME_VALUE(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME_VALUE(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME_VALUE(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME_VALUE(kInvalidPc, CUDA_ERROR_INVALID_PC);
SAME_VALUE(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
SAME_VALUE(kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME_VALUE(kCompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME_VALUE(kExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE);
SAME_VALUE(kUnknown, CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 12080
SAME_VALUE(kContained, CUDA_ERROR_CONTAINED);
SAME_VALUE(kTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif

SAME_VALUE(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(kMaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_VALUE(kMaxSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(kMaxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME_VALUE(kClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(kKernelExecTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
SAME_VALUE(kIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME_VALUE(kComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_VALUE(kEccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME_VALUE(kPciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME_VALUE(kPciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SAME_VALUE(kPciDomainId, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SAME_VALUE(kMemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_VALUE(kMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_VALUE(kL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(kMaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_VALUE(kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(kMaxSharedPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME_VALUE(kMaxRegistersPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME_VALUE(kMaxSharedPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(kMaxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME_VALUE(kReservedSharedPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(kFunctionMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(kFunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(kFunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(kFunctionMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(kJitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(kJitErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(kLaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_VALUE(kMapU8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME_VALUE(kMapU16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
SAME_VALUE(kMapU32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
SAME_VALUE(kMapI32, CU_TENSOR_MAP_DATA_TYPE_INT32);
SAME_VALUE(kMapU64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
SAME_VALUE(kMapI64, CU_TENSOR_MAP_DATA_TYPE_INT64);
SAME_VALUE(kMapF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
SAME_VALUE(kMapF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME_VALUE(kMapF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
SAME_VALUE(kMapBF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME_VALUE(kMapSwizzle32, CU_TENSOR_MAP_SWIZZLE_32B);
SAME_VALUE(kMapSwizzle64, CU_TENSOR_MAP_SWIZZLE_64B);
SAME_VALUE(kMapSwizzle128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_VALUE(kMapPromotion128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
SAME_VALUE(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(kEventDefault, CU_EVENT_DEFAULT);
SAME_VALUE(kHostAllocDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP);
SAME_VALUE(kStreamWaitEqual, CU_STREAM_WAIT_VALUE_EQ);
SAME_VALUE(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME_VALUE(kNvrtcOutOfMemory, NVRTC_ERROR_OUT_OF_MEMORY);
SAME_VALUE(kNvrtcInvalidOption, NVRTC_ERROR_INVALID_OPTION);
SAME_VALUE(kNvrtcCompilation, NVRTC_ERROR_COMPILATION);
SAME_VALUE(kNvrtcBuiltinFailure, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);

#if CUDA_VERSION >= 13000
#define SAME_NUMBER(number, name) static_assert(CU_DEVICE_ATTRIBUTE_##name == number, #name);
FL_CUDA_DEVICE_ATTRIBUTES(SAME_NUMBER)
#endif

TEST(CudaAbi, IsWhatTheVendorsHeadersSay) {
  EXPECT_EQ(sizeof(abi::Uuid), sizeof(CUuuid));
  EXPECT_EQ(sizeof(abi::DevicePointer), sizeof(CUdeviceptr));
  EXPECT_EQ(sizeof(abi::TensorMapBytes), sizeof(CUtensorMap));
  EXPECT_GE(alignof(abi::TensorMapBytes), alignof(CUtensorMap)) << "64 until CUDA 12, 128 since";
  EXPECT_EQ(sizeof(abi::LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(abi::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(abi::LaunchWithAttributes), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(abi::LaunchWithAttributes, block), offsetof(CUlaunchConfig, blockDimX));
  EXPECT_EQ(offsetof(abi::LaunchWithAttributes, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(abi::LaunchWithAttributes, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(abi::LaunchWithAttributes, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(abi::LaunchWithAttributes, attribute_count), offsetof(CUlaunchConfig, numAttrs));
}

}  // namespace
}  // namespace fuselab::cuda

#if __has_include(<nvml.h>)
namespace fuselab::sensors {
SAME_CALL(NvmlFunctions, init, nvmlInit_v2);
SAME_CALL(NvmlFunctions, error_text, nvmlErrorString);
SAME_CALL(NvmlFunctions, driver_version, nvmlSystemGetDriverVersion);
SAME_CALL(NvmlFunctions, device_by_uuid, nvmlDeviceGetHandleByUUID);
SAME_CALL(NvmlFunctions, clock, nvmlDeviceGetClockInfo);
SAME_CALL(NvmlFunctions, temperature, nvmlDeviceGetTemperature);
SAME_CALL(NvmlFunctions, power, nvmlDeviceGetPowerUsage);
SAME_CALL(NvmlFunctions, throttle, nvmlDeviceGetCurrentClocksThrottleReasons);  // the newer name has the same signature
SAME_VALUE(kNvmlNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_VALUE(kNvmlClockSm, NVML_CLOCK_SM);
SAME_VALUE(kNvmlClockMemory, NVML_CLOCK_MEM);
SAME_VALUE(kNvmlTemperatureGpu, NVML_TEMPERATURE_GPU);
SAME_VALUE(kNvmlVersionLength, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
}  // namespace fuselab::sensors
#endif
