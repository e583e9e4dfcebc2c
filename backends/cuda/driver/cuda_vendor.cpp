// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_vendor.h"

#include <bit>
#include <cstdlib>
#include <vector>

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

int map_type(DType dtype) {
  switch (dtype) {
    case DType::kF64: return abi::kMapF64;
    case DType::kF32: return abi::kMapF32;
    case DType::kF16: return abi::kMapF16;
    case DType::kBF16: return abi::kMapBF16;
    case DType::kI64: return abi::kMapI64;
    case DType::kI32: return abi::kMapI32;
    default: break;
  }
  constexpr int kUnsigned[] = {abi::kMapU8, abi::kMapU16, abi::kMapU32, abi::kMapU64};  // of 1, 2, 4 and 8 bytes
  return kUnsigned[std::bit_width(static_cast<unsigned>(bits_of(dtype)) / 8) - 1];
}

// What lies outside the tensor is zero.
abi::Code encode_map(const abi::DriverFunctions& calls, const TensorMapArgument& map, abi::DevicePointer address,
                     abi::TensorMapBytes& encoded) {
  const std::vector<std::uint64_t> extents(map.extents.begin(), map.extents.end());
  const std::vector<std::uint64_t> strides(map.strides.begin(), map.strides.end());
  const std::vector<std::uint32_t> box(map.box.begin(), map.box.end()), ones(map.box.size(), 1);
  const int swizzle = map.swizzle == 128  ? abi::kMapSwizzle128
                      : map.swizzle == 64 ? abi::kMapSwizzle64
                      : map.swizzle == 32 ? abi::kMapSwizzle32
                                          : 0;
  return calls.encode_tensor_map(&encoded, map_type(map.element), static_cast<std::uint32_t>(extents.size()),
                                 reinterpret_cast<void*>(address), extents.data(), strides.data(), box.data(), ones.data(), 0,
                                 swizzle, abi::kMapPromotion128, 0);
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
                                          .cluster_attribute = abi::kLaunchClusterDimension,
                                          .log_buffer = abi::kJitErrorLogBuffer,
                                          .log_bytes = abi::kJitErrorLogBufferBytes,
                                          .get_device = "cuDeviceGet",
                                          .retain_context = "cuDevicePrimaryCtxRetain",
                                          .set_context = "cuCtxSetCurrent",
                                          .create_stream = "cuStreamCreate",
                                          .blocking_variables = kBlockingVariables,
                                          .read_binary = read_cubin,
                                          .encode_map = encode_map,
                                          .advice = advice};
  return vendor;
}

}  // namespace fuselab::cuda
