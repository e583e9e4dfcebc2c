// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gpu/stream/device_facts.h"
#include "backends/gpu/stream/stream_runtime.h"

namespace fuselab::gpu {

// The stack that lends its devices: its driver, what it says of them, and the compiler of the kernels that measure ceilings.
struct Lender {
  const char* device;         // what people call one: "CUDA device"
  const char* compiler_name;  // "NVRTC"
  std::function<Result<std::shared_ptr<const stream::Driver>>()> open_driver;
  std::function<Result<stream::FoundDevices>(const stream::Driver&)> describe;
  std::shared_ptr<Compiler> compiler;
};

// The GPUs of one stack as devices of another backend, whose kernels or library run on that stack's driver. Used by one thread.
// Must outlive the devices that it opened.
class GuestDevices {
 public:
  // `backend` begins the ids: "triton" in triton:0. `adopt` writes into a device what else the backend says of it.
  GuestDevices(Lender lender, std::string backend, std::function<void(DeviceInfo&)> adopt)
      : lender_(std::move(lender)), backend_(std::move(backend)), adopt_(std::move(adopt)) {}

  // Returns the lender's driver, opened once. Fails with its reason, the same at every call.
  Result<std::shared_ptr<const stream::Driver>> driver();
  // Returns the devices as their own stack shows them, at least one. Fails with kUnavailable and the driver's reason.
  Result<std::vector<DeviceInfo>> native_devices();
  // Returns the same under ids of the backend's own.
  Result<std::vector<DeviceInfo>> devices();
  // Opens one of them. Without a loader, the lender's modules are loaded. Ceilings are measured by kernels of its compiler's; where
  // it is missing, measuring them fails with kUnsupported.
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device, stream::WorkLoader loader = {});

 private:
  Lender lender_;
  std::string backend_;
  std::function<void(DeviceInfo&)> adopt_;
  // One attempt per process: a driver that failed to start keeps failing.
  std::optional<Result<std::shared_ptr<const stream::Driver>>> driver_;
  std::vector<std::unique_ptr<Compiler>> ceiling_compilers_;  // one a device that was opened
};

}  // namespace fuselab::gpu
