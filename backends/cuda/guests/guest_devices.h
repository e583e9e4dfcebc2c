// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/gpu/guests/guest_devices.h"

namespace fuselab::cuda {

// The NVIDIA GPUs here as devices of another backend, on CUDA's driver. Ceilings are measured by kernels of NVRTC's.
class GuestDevices final : public gpu::GuestDevices {
 public:
  GuestDevices(std::string backend, std::function<void(DeviceInfo&)> adopt);
};

}  // namespace fuselab::cuda
