// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_vendor.h"

#include <cstdlib>

#include "backends/codegen/emit/dialect.h"
#include "backends/cuda/abi/driver_abi.h"
#include "backends/cuda/driver/cubin_reader.h"

namespace fuselab::cuda {
namespace {

constexpr gpu::stream::Meaning kMeanings[] = {{abi::kOutOfMemory, ErrorCode::kOutOfMemory},
                                              {abi::kNoBinaryForGpu, ErrorCode::kUnsupported},
                                              {abi::kUnsupportedPtxVersion, ErrorCode::kUnsupported},
                                              {abi::kNotSupported, ErrorCode::kUnsupported},
                                              {abi::kInvalidImage, ErrorCode::kCorrupt},
                                              {abi::kInvalidPtx, ErrorCode::kCorrupt},
                                              {abi::kInvalidSource, ErrorCode::kCorrupt},
                                              {abi::kNoDevice, ErrorCode::kUnavailable},
                                              {abi::kDeviceUnavailable, ErrorCode::kUnavailable},
                                              {abi::kSystemNotReady, ErrorCode::kUnavailable},
                                              {abi::kLaunchTimeout, ErrorCode::kTimeout},
                                              {abi::kEccUncorrectable, ErrorCode::kCrashed},
                                              {abi::kNvlinkUncorrectable, ErrorCode::kCrashed},
                                              {abi::kContained, ErrorCode::kCrashed},
                                              {abi::kIllegalAddress, ErrorCode::kCrashed},
                                              {abi::kContextIsDestroyed, ErrorCode::kCrashed},
                                              {abi::kAssert, ErrorCode::kCrashed},
                                              {abi::kHardwareStackError, ErrorCode::kCrashed},
                                              {abi::kIllegalInstruction, ErrorCode::kCrashed},
                                              {abi::kMisalignedAddress, ErrorCode::kCrashed},
                                              {abi::kInvalidAddressSpace, ErrorCode::kCrashed},
                                              {abi::kInvalidPc, ErrorCode::kCrashed},
                                              {abi::kLaunchFailed, ErrorCode::kCrashed},
                                              {abi::kTensorMemoryLeak, ErrorCode::kCrashed},
                                              {abi::kExternalDevice, ErrorCode::kCrashed},
                                              {abi::kUnknown, ErrorCode::kCrashed}};

// Through the second, profilers and checkers are loaded.
constexpr gpu::stream::BlockingVariable kBlockingVariables[] = {{"CUDA_LAUNCH_BLOCKING", "0"}, {"CUDA_INJECTION64_PATH", ""}};

// The code for "newer compiler than driver" differs from driver to driver; the versions say it.
std::string advice(int driver, const KernelBinary& binary) {
  const auto version = binary.metadata.find("version");
  if (version == binary.metadata.end()) return "";
  if (std::atoi(version->second.c_str()) <= driver / 1000) return "";
  return " (made by nvrtc " + version->second + ", newer than the driver's CUDA " + version_text(driver) +
         ": update the driver, or point FUSELAB_LIB_NVRTC to an older libnvrtc)";
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const gpu::stream::Vendor& cuda_vendor() {
  static const gpu::stream::Vendor vendor{.backend = "cuda",
                                          .binary_format = "cubin",
                                          .language = "cuda",
                                          .prelude = codegen::cuda_prelude(),
                                          .meanings = kMeanings,
                                          .not_supported = abi::kNotSupported,
                                          .stream_flags = abi::kStreamNonBlocking,
                                          .event_flags = abi::kEventDefault,
                                          .host_flags = abi::kHostAllocDeviceMap,
                                          .wait_flags = abi::kStreamWaitEqual,
                                          .capture_mode = abi::kCaptureThreadLocal,
                                          .dynamic_shared = abi::kFunctionMaxDynamicSharedBytes,
                                          .log_buffer = abi::kJitErrorLogBuffer,
                                          .log_bytes = abi::kJitErrorLogBufferBytes,
                                          .get_device = "cuDeviceGet",
                                          .retain_context = "cuDevicePrimaryCtxRetain",
                                          .set_context = "cuCtxSetCurrent",
                                          .create_stream = "cuStreamCreate",
                                          .blocking_variables = kBlockingVariables,
                                          .read_binary = read_cubin,
                                          .advice = advice};
  return vendor;
}

}  // namespace fuselab::cuda
