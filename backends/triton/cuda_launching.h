// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/backend/backend.h"

namespace fuselab::cuda {
class GuestDevices;
}  // namespace fuselab::cuda

namespace fuselab::triton {

// The NVIDIA GPUs here as Triton's devices: a cubin is launched as one of NVRTC's. Where CUDA's backend was left out of the build
// there is none.
class CudaLaunching {
 public:
  CudaLaunching();
  // Returns triton:0 and so on, at least one, each a device of CUDA's with Triton's name. Fails with the driver's reason.
  Result<std::vector<DeviceInfo>> devices();
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device);

 private:
  std::shared_ptr<cuda::GuestDevices> guests_;
};

}  // namespace fuselab::triton
