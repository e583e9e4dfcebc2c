// SPDX-License-Identifier: Apache-2.0
// Compiled only where Khronos' headers are: what we declare ourselves is what they say.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "backends/opencl/abi/opencl_abi.h"

namespace fuselab::opencl {
namespace {

#define SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs)

SAME_VALUE(kDeviceNotFound, CL_DEVICE_NOT_FOUND);
SAME_VALUE(kDeviceNotAvailable, CL_DEVICE_NOT_AVAILABLE);
SAME_VALUE(kCompilerNotAvailable, CL_COMPILER_NOT_AVAILABLE);
SAME_VALUE(kMemObjectAllocationFailure, CL_MEM_OBJECT_ALLOCATION_FAILURE);
SAME_VALUE(kOutOfResources, CL_OUT_OF_RESOURCES);
SAME_VALUE(kOutOfHostMemory, CL_OUT_OF_HOST_MEMORY);
SAME_VALUE(kBuildProgramFailure, CL_BUILD_PROGRAM_FAILURE);
SAME_VALUE(kMisalignedSubBufferOffset, CL_MISALIGNED_SUB_BUFFER_OFFSET);
SAME_VALUE(kInvalidValue, CL_INVALID_VALUE);
SAME_VALUE(kInvalidBinary, CL_INVALID_BINARY);
SAME_VALUE(kInvalidBuildOptions, CL_INVALID_BUILD_OPTIONS);
SAME_VALUE(kInvalidKernelName, CL_INVALID_KERNEL_NAME);
SAME_VALUE(kInvalidWorkGroupSize, CL_INVALID_WORK_GROUP_SIZE);
SAME_VALUE(kInvalidBufferSize, CL_INVALID_BUFFER_SIZE);
SAME_VALUE(kPlatformVersion, CL_PLATFORM_VERSION);
SAME_VALUE(kPlatformName, CL_PLATFORM_NAME);
SAME_VALUE(kDeviceTypeAll, CL_DEVICE_TYPE_ALL);
SAME_VALUE(kDeviceTypeCpu, CL_DEVICE_TYPE_CPU);
SAME_VALUE(kDeviceTypeGpu, CL_DEVICE_TYPE_GPU);
SAME_VALUE(kDeviceType, CL_DEVICE_TYPE);
SAME_VALUE(kDeviceMaxComputeUnits, CL_DEVICE_MAX_COMPUTE_UNITS);
SAME_VALUE(kDeviceMaxWorkGroupSize, CL_DEVICE_MAX_WORK_GROUP_SIZE);
SAME_VALUE(kDeviceMaxWorkItemSizes, CL_DEVICE_MAX_WORK_ITEM_SIZES);
SAME_VALUE(kDeviceMaxClockFrequency, CL_DEVICE_MAX_CLOCK_FREQUENCY);
SAME_VALUE(kDeviceMaxMemAllocSize, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
SAME_VALUE(kDeviceMemBaseAddrAlign, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
SAME_VALUE(kDeviceSingleFpConfig, CL_DEVICE_SINGLE_FP_CONFIG);
SAME_VALUE(kDeviceGlobalMemCacheSize, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
SAME_VALUE(kDeviceGlobalMemSize, CL_DEVICE_GLOBAL_MEM_SIZE);
SAME_VALUE(kDeviceMaxParameterSize, CL_DEVICE_MAX_PARAMETER_SIZE);
SAME_VALUE(kDeviceLocalMemType, CL_DEVICE_LOCAL_MEM_TYPE);
SAME_VALUE(kLocalMemDedicated, CL_LOCAL);
SAME_VALUE(kDeviceLocalMemSize, CL_DEVICE_LOCAL_MEM_SIZE);
SAME_VALUE(kDeviceAvailable, CL_DEVICE_AVAILABLE);
SAME_VALUE(kDeviceName, CL_DEVICE_NAME);
SAME_VALUE(kDeviceVendor, CL_DEVICE_VENDOR);
SAME_VALUE(kDriverVersion, CL_DRIVER_VERSION);
SAME_VALUE(kDeviceVersion, CL_DEVICE_VERSION);
SAME_VALUE(kDeviceDoubleFpConfig, CL_DEVICE_DOUBLE_FP_CONFIG);
SAME_VALUE(kDeviceHostUnifiedMemory, CL_DEVICE_HOST_UNIFIED_MEMORY);
#ifdef CL_DEVICE_PCI_BUS_INFO_KHR
SAME_VALUE(kDevicePciBusInfo, CL_DEVICE_PCI_BUS_INFO_KHR);
#endif
#ifdef CL_DEVICE_TOPOLOGY_AMD
SAME_VALUE(kDeviceTopologyAmd, CL_DEVICE_TOPOLOGY_AMD);
#endif
SAME_VALUE(kFpDenorm, CL_FP_DENORM);
SAME_VALUE(kQueueProfilingEnable, CL_QUEUE_PROFILING_ENABLE);
SAME_VALUE(kMemReadWrite, CL_MEM_READ_WRITE);
SAME_VALUE(kBufferCreateTypeRegion, CL_BUFFER_CREATE_TYPE_REGION);
SAME_VALUE(kProgramBinarySizes, CL_PROGRAM_BINARY_SIZES);
SAME_VALUE(kProgramBinaries, CL_PROGRAM_BINARIES);
SAME_VALUE(kProgramBuildLog, CL_PROGRAM_BUILD_LOG);
SAME_VALUE(kKernelNumArgs, CL_KERNEL_NUM_ARGS);
SAME_VALUE(kKernelWorkGroupSize, CL_KERNEL_WORK_GROUP_SIZE);
SAME_VALUE(kKernelLocalMemSize, CL_KERNEL_LOCAL_MEM_SIZE);
SAME_VALUE(kKernelPreferredWorkGroupSizeMultiple, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
SAME_VALUE(kKernelPrivateMemSize, CL_KERNEL_PRIVATE_MEM_SIZE);
SAME_VALUE(kProfilingCommandStart, CL_PROFILING_COMMAND_START);
SAME_VALUE(kProfilingCommandEnd, CL_PROFILING_COMMAND_END);

TEST(OpenClAbi, IsWhatTheHeadersSay) {
  EXPECT_EQ(sizeof(abi::BufferRegion), sizeof(cl_buffer_region));
  EXPECT_EQ(offsetof(abi::BufferRegion, size), offsetof(cl_buffer_region, size));
  EXPECT_EQ(sizeof(abi::Bits), sizeof(cl_bitfield));
  EXPECT_EQ(sizeof(abi::Bool), sizeof(cl_bool));
  EXPECT_EQ(sizeof(abi::Code), sizeof(cl_int));
}

}  // namespace
}  // namespace fuselab::opencl
