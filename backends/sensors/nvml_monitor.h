// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "backends/sensors/abi/nvml_abi.h"
#include "core/backend/device_monitor.h"

namespace fuselab::sensors {

// One device as NVML sees it. The library stays in the process. Used by one thread.
class NvmlMonitor final : public DeviceMonitor {
 public:
  // The time limit. Without persistence mode starting NVML may take seconds; a reading takes tens of microseconds.
  static constexpr std::chrono::milliseconds kPatience{5000};

  // Looks for libnvidia-ml.so.1 ($FUSELAB_LIB_NVML overrides) and in it for the device with this UUID ("GPU-3f2b8c1e-…").
  // Fails with kUnavailable and one line: "NVML: libnvidia-ml.so.1 not found", "NVML does not know GPU-…
  // (nvmlDeviceGetHandleByUUID: Not Found)"; with kTimeout where it does not answer within `patience`, which applies to readings,
  // too.
  static Result<std::unique_ptr<NvmlMonitor>> open(const std::string& uuid, std::chrono::milliseconds patience = kPatience);

  // Reads the sensors. Unsupported values are 0; the reasons for low clocks are required.
  Result<DeviceState> state() override;
  std::string driver_version() override { return driver_version_; }

 private:
  NvmlMonitor() = default;
  static Result<NvmlMonitor> started(const std::string& uuid);
  Result<DeviceState> read() const;
  Error failure(const std::string& what, abi::NvmlCode code) const;

  abi::NvmlFunctions calls_{};
  abi::NvmlDevice device_ = nullptr;
  std::string driver_version_;
  std::chrono::milliseconds patience_ = kPatience;
};

}  // namespace fuselab::sensors
