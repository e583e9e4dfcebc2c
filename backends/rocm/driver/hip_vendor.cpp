// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/hip_vendor.h"

#include <cstddef>

#include "backends/codegen/emit/dialect.h"
#include "backends/rocm/abi/hip_abi.h"
#include "backends/rocm/driver/code_object_reader.h"

namespace fuselab::hip {
namespace {

// A fault of a kernel mostly ends the process from within (HSA's queue error, "Memory access fault by GPU"), before any code.
constexpr gpu::stream::Meaning kMeanings[] = {{abi::kOutOfMemory, ErrorCode::kOutOfMemory},
                                              {abi::kNoBinaryForGpu, ErrorCode::kUnsupported},
                                              {abi::kNotSupported, ErrorCode::kUnsupported},
                                              {abi::kInvalidImage, ErrorCode::kCorrupt},
                                              {abi::kInvalidKernelFile, ErrorCode::kCorrupt},
                                              {abi::kInvalidSource, ErrorCode::kCorrupt},
                                              {abi::kInsufficientDriver, ErrorCode::kUnavailable},
                                              {abi::kNoDevice, ErrorCode::kUnavailable},
                                              {abi::kLaunchTimeout, ErrorCode::kTimeout},
                                              {abi::kEccNotCorrectable, ErrorCode::kCrashed},
                                              {abi::kIllegalAddress, ErrorCode::kCrashed},
                                              {abi::kContextIsDestroyed, ErrorCode::kCrashed},
                                              {abi::kAssert, ErrorCode::kCrashed},
                                              {abi::kLaunchFailure, ErrorCode::kCrashed},
                                              {abi::kUnknown, ErrorCode::kCrashed},
                                              {abi::kRuntimeMemory, ErrorCode::kCrashed},
                                              {abi::kRuntimeOther, ErrorCode::kCrashed}};

// Through the last, ROCm's profilers and debuggers are loaded.
constexpr gpu::stream::BlockingVariable kBlockingVariables[] = {
    {"HIP_LAUNCH_BLOCKING", "0"}, {"AMD_SERIALIZE_KERNEL", "0"}, {"HSA_TOOLS_LIB", ""}};

// The version of a code object stands in the ABI version of its ELF header: LLVM, "User Guide for AMDGPU Backend".
std::string advice(int driver, const KernelBinary& binary) {
  constexpr std::size_t kAbiVersion = 8;
  constexpr int kHip5_4 = 50400000;
  const int version = binary.data.size() > kAbiVersion ? std::to_integer<int>(binary.data[kAbiVersion]) + 2 : 0;
  if (driver >= (version > 5 ? abi::kHip6 : version == 5 ? kHip5_4 : 0)) return "";
  return " (a code object of version " + std::to_string(version) + ", which HIP " + version_text(driver) +
         " is too old for: update ROCm)";
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
}

const gpu::stream::Vendor& hip_vendor() {
  static const gpu::stream::Vendor vendor{.backend = "rocm",
                                          .binary_format = "hsaco",
                                          .language = "hip",
                                          .prelude = codegen::hip_dialect().preamble,
                                          .meanings = kMeanings,
                                          .not_supported = abi::kNotSupported,
                                          .stream_flags = abi::kStreamNonBlocking,
                                          .event_flags = abi::kEventDefault,
                                          // A stream that waits for a word sees the host write it.
                                          .host_flags = abi::kHostMallocMapped | abi::kHostMallocCoherent,
                                          .wait_flags = abi::kStreamWaitEqual,
                                          .capture_mode = abi::kCaptureThreadLocal,
                                          .dynamic_shared = 0,  // no call asks for it, and loading gives no log
                                          .log_buffer = 0,
                                          .log_bytes = 0,
                                          .get_device = "hipDeviceGet",
                                          .retain_context = "hipSetDevice",
                                          .set_context = "hipSetDevice",
                                          .create_stream = "hipStreamCreateWithFlags",
                                          .blocking_variables = kBlockingVariables,
                                          .read_binary = read_code_object,
                                          .advice = advice};
  return vendor;
}

}  // namespace fuselab::hip
