// SPDX-License-Identifier: Apache-2.0
// Compiled only where HIP's headers are, of 5.2 or later: what we declare ourselves is what they say.
#define __HIP_PLATFORM_AMD__ 1
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#if __has_include(<hip/hiprtc.h>)
#include <hip/hiprtc.h>
#endif

#include <cstddef>
#include <type_traits>

#include "backends/rocm/abi/hip_abi.h"
#include "backends/rocm/abi/hiprtc_abi.h"
#include "tests/support/same_abi.h"

namespace fuselab::hip {
namespace {

// A pointer of the device is a void* to HIP and an integer to the common table: both are passed alike.
template <typename F>
struct Widths;
template <typename R, typename... A>
struct Widths<R (*)(A...)> {
  template <typename T>
  using Passed = std::conditional_t<std::is_pointer_v<T>, unsigned long long, T>;
  using Type = Passed<R> (*)(Passed<A>...);
};
template <typename Ours, typename Theirs>
constexpr bool kSameCall = test::SameCall<typename Widths<Ours>::Type, typename Widths<Theirs>::Type>::value;

#define SAME_CALL(table, member, theirs) \
  static_assert(kSameCall<decltype(abi::table::member), std::add_pointer_t<decltype(::theirs)>>, #theirs);
#define SAME_COMMON(member, theirs) SAME_CALL(DriverFunctions, member, theirs)
#define SAME_OWN(member, theirs) SAME_CALL(HipFunctions, member, theirs)
#define SAME_OVERLOAD(member, theirs, ...) \
  static_assert(kSameCall<decltype(abi::DriverFunctions::member), decltype(static_cast<hipError_t (*)(__VA_ARGS__)>(::theirs))>);
#define SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(abi::ours) == static_cast<long long>(theirs), #theirs)

FL_HIP_COMMON_CALLS(SAME_COMMON)
FL_HIP_OWN_CALLS(SAME_OWN)
SAME_OWN(properties, hipGetDeviceProperties)
SAME_OVERLOAD(allocate, hipMalloc, void**, size_t)
SAME_OVERLOAD(host_allocate, hipHostMalloc, void**, size_t, unsigned)
SAME_OVERLOAD(occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, int*, hipFunction_t, int, size_t)

SAME_VALUE(kInvalidValue, hipErrorInvalidValue);
SAME_VALUE(kOutOfMemory, hipErrorOutOfMemory);
SAME_VALUE(kInsufficientDriver, hipErrorInsufficientDriver);
SAME_VALUE(kNoDevice, hipErrorNoDevice);
SAME_VALUE(kInvalidDevice, hipErrorInvalidDevice);
SAME_VALUE(kInvalidImage, hipErrorInvalidImage);
SAME_VALUE(kNoBinaryForGpu, hipErrorNoBinaryForGpu);
SAME_VALUE(kEccNotCorrectable, hipErrorECCNotCorrectable);
SAME_VALUE(kInvalidKernelFile, hipErrorInvalidKernelFile);
SAME_VALUE(kInvalidSource, hipErrorInvalidSource);
SAME_VALUE(kIllegalAddress, hipErrorIllegalAddress);
SAME_VALUE(kLaunchTimeout, hipErrorLaunchTimeOut);
SAME_VALUE(kContextIsDestroyed, hipErrorContextIsDestroyed);
SAME_VALUE(kAssert, hipErrorAssert);
SAME_VALUE(kLaunchFailure, hipErrorLaunchFailure);
SAME_VALUE(kNotSupported, hipErrorNotSupported);
SAME_VALUE(kUnknown, hipErrorUnknown);
SAME_VALUE(kRuntimeMemory, hipErrorRuntimeMemory);
SAME_VALUE(kRuntimeOther, hipErrorRuntimeOther);

SAME_VALUE(kEccEnabled, hipDeviceAttributeEccEnabled);
SAME_VALUE(kClockRate, hipDeviceAttributeClockRate);
SAME_VALUE(kIntegrated, hipDeviceAttributeIntegrated);
SAME_VALUE(kKernelExecTimeout, hipDeviceAttributeKernelExecTimeout);
SAME_VALUE(kL2CacheSize, hipDeviceAttributeL2CacheSize);
SAME_VALUE(kMaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock);
SAME_VALUE(kMaxThreadsPerMultiprocessor, hipDeviceAttributeMaxThreadsPerMultiProcessor);
SAME_VALUE(kMemoryBusWidth, hipDeviceAttributeMemoryBusWidth);
SAME_VALUE(kMemoryClockRate, hipDeviceAttributeMemoryClockRate);
SAME_VALUE(kMultiprocessorCount, hipDeviceAttributeMultiprocessorCount);
SAME_VALUE(kMaxSharedPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME_VALUE(kWarpSize, hipDeviceAttributeWarpSize);
SAME_VALUE(kMaxSharedPerMultiprocessor, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor);

SAME_VALUE(kStreamNonBlocking, hipStreamNonBlocking);
SAME_VALUE(kEventDefault, hipEventDefault);
SAME_VALUE(kHostMallocMapped, hipHostMallocMapped);
SAME_VALUE(kHostMallocCoherent, hipHostMallocCoherent);
SAME_VALUE(kStreamWaitEqual, hipStreamWaitValueEq);
SAME_VALUE(kCaptureThreadLocal, hipStreamCaptureModeThreadLocal);

#if HIP_VERSION_MAJOR < 6
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == abi::kArchNameBefore6);
#else
SAME_COMMON(graph_upload, hipGraphUpload)
static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == abi::kArchNameSince6);
#endif

#if __has_include(<hip/hiprtc.h>)
SAME_CALL(HiprtcFunctions, error_text, hiprtcGetErrorString)
SAME_CALL(HiprtcFunctions, create, hiprtcCreateProgram)
SAME_CALL(HiprtcFunctions, destroy, hiprtcDestroyProgram)
SAME_CALL(HiprtcFunctions, compile, hiprtcCompileProgram)
SAME_CALL(HiprtcFunctions, log_size, hiprtcGetProgramLogSize)
SAME_CALL(HiprtcFunctions, log, hiprtcGetProgramLog)
SAME_CALL(HiprtcFunctions, code_size, hiprtcGetCodeSize)
SAME_CALL(HiprtcFunctions, code, hiprtcGetCode)
SAME_VALUE(kHiprtcSuccess, HIPRTC_SUCCESS);
SAME_VALUE(kHiprtcOutOfMemory, HIPRTC_ERROR_OUT_OF_MEMORY);
SAME_VALUE(kHiprtcInvalidOption, HIPRTC_ERROR_INVALID_OPTION);
SAME_VALUE(kHiprtcCompilation, HIPRTC_ERROR_COMPILATION);
#endif

TEST(HipAbi, IsWhatTheHeadersSay) {
  EXPECT_GE(HIP_VERSION_MAJOR, 5);
}

}  // namespace
}  // namespace fuselab::hip
