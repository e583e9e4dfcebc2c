// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/cuda_launching.h"

#include "backends/cuda/driver/cuda_device.h"
#include "backends/cuda/driver/cuda_driver.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "core/base/content_hash.h"

namespace fuselab::triton {
namespace {

DeviceInfo as_ours(DeviceInfo info) {
  info.id = "triton:" + std::to_string(info.index);
  info.backend = "triton";
  info.name += " (through Triton)";
  info.uuid = IdentityHasher("triton").add("device", info.uuid).finish().hex();
  return info;
}

}  // namespace

Result<std::shared_ptr<const gpu::stream::Driver>> CudaLaunching::driver() {
  if (!driver_) {
    const auto opened = cuda::CudaDriver::open();
    if (opened.ok()) {
      driver_.emplace(std::shared_ptr<const gpu::stream::Driver>(opened.value()));
    } else {
      driver_.emplace(opened.error());
    }
  }
  return *driver_;
}

Result<std::vector<DeviceInfo>> CudaLaunching::devices() {
  FL_TRY(const auto opened, driver());
  FL_TRY(cuda::FoundDevices found, cuda::describe_devices(static_cast<const cuda::CudaDriver&>(*opened)));
  for (DeviceInfo& each : found.devices) each = as_ours(std::move(each));
  return std::move(found.devices);
}

Result<std::unique_ptr<DeviceRuntime>> CudaLaunching::open(const DeviceInfo& device, Compiler& compiler) {
  FL_TRY(const auto opened, driver());
  FL_TRY(const std::vector<DeviceInfo> here, devices());
  for (const DeviceInfo& each : here) {
    if (each.id == device.id) return gpu::stream::StreamRuntime::open(opened, each, compiler);
  }
  return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has " + std::to_string(here.size()) +
                                         " that Triton's kernels run on, from triton:0 on"};
}

}  // namespace fuselab::triton
