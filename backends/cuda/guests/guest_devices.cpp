// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/guests/guest_devices.h"

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/driver/cuda_device.h"

namespace fuselab::cuda {
namespace {

gpu::Lender lender() {
  using Opened = Result<std::shared_ptr<const gpu::stream::Driver>>;
  const auto open = []() -> Opened {
    FL_TRY(std::shared_ptr<const CudaDriver> opened, CudaDriver::open());
    return Opened(std::move(opened));
  };
  const auto describe = [](const gpu::stream::Driver& driver) { return describe_devices(static_cast<const CudaDriver&>(driver)); };
  return {"CUDA device", "NVRTC", open, describe, std::make_shared<NvrtcCompiler>()};
}

}  // namespace

GuestDevices::GuestDevices(std::string backend, std::function<void(DeviceInfo&)> adopt)
    : gpu::GuestDevices(lender(), std::move(backend), std::move(adopt)) {}

}  // namespace fuselab::cuda
