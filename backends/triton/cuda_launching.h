// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/backend/backend.h"

namespace fuselab::gpu::stream {
class Driver;
}  // namespace fuselab::gpu::stream

namespace fuselab::triton {

// The NVIDIA GPUs here as Triton's devices: a cubin is launched as one of NVRTC's. Where CUDA's backend was left out of the build
// there is none.
class CudaLaunching {
 public:
  // Returns triton:0 and so on, each a device of CUDA's, with Triton's name. Fails with the driver's reason.
  Result<std::vector<DeviceInfo>> devices();
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device, Compiler& compiler);

 private:
  Result<std::shared_ptr<const gpu::stream::Driver>> driver();
  // One attempt per process: a driver that failed to start keeps failing.
  std::optional<Result<std::shared_ptr<const gpu::stream::Driver>>> driver_;
};

}  // namespace fuselab::triton
