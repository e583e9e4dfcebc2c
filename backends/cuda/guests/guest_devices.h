// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/gpu/stream/stream_runtime.h"

namespace fuselab::cuda {

// The NVIDIA GPUs here as devices of another backend, whose kernels or library run on CUDA's driver. Used by one thread. Must
// outlive the devices that it opened.
class GuestDevices {
 public:
  // `backend` begins the ids: "triton" in triton:0. `adopt` writes into a device what else the backend says of it.
  GuestDevices(std::string backend, std::function<void(DeviceInfo&)> adopt)
      : backend_(std::move(backend)), adopt_(std::move(adopt)) {}

  // Returns CUDA's devices under ids of the backend's own, at least one. Fails with kUnavailable and the driver's reason.
  Result<std::vector<DeviceInfo>> devices();
  // Opens one of them. Without a loader, CUDA's modules are loaded. Ceilings are measured by kernels of NVRTC's; where it is
  // missing, measuring them fails with kUnsupported.
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device, gpu::stream::WorkLoader loader = {});

 private:
  Result<std::vector<DeviceInfo>> native_devices();

  std::string backend_;
  std::function<void(DeviceInfo&)> adopt_;
  // One attempt per process: a driver that failed to start keeps failing.
  std::optional<Result<std::shared_ptr<const CudaDriver>>> driver_;
  NvrtcCompiler nvrtc_;
  std::vector<std::unique_ptr<Compiler>> ceiling_compilers_;  // one a device that was opened
};

}  // namespace fuselab::cuda
