// SPDX-License-Identifier: Apache-2.0
// Stands in for cuda_launching.cpp where this Fuselab was built without CUDA's backend.
#include "backends/triton/cuda_launching.h"

namespace fuselab::triton {

CudaLaunching::CudaLaunching() = default;

Result<std::vector<DeviceInfo>> CudaLaunching::devices() {
  return Error{ErrorCode::kUnavailable, "this Fuselab was built without CUDA's backend, whose driver launches them"};
}

Result<std::unique_ptr<DeviceRuntime>> CudaLaunching::open(const DeviceInfo&) {
  return devices().error();
}

}  // namespace fuselab::triton
