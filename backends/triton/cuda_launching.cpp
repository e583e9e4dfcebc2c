// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/cuda_launching.h"

#include "backends/cuda/guests/guest_devices.h"

namespace fuselab::triton {

CudaLaunching::CudaLaunching()
    : guests_(std::make_shared<cuda::GuestDevices>("triton", [](DeviceInfo& info) { info.name += " (through Triton)"; })) {}

Result<std::vector<DeviceInfo>> CudaLaunching::devices() {
  return guests_->devices();
}

Result<std::unique_ptr<DeviceRuntime>> CudaLaunching::open(const DeviceInfo& device) {
  return guests_->open(device);
}

}  // namespace fuselab::triton
