// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/backend/device_info.h"
#include "core/backend/device_monitor.h"

namespace fuselab::sensors {

// Returns true for a GPU of a vendor whose library is read here: NVIDIA's (NVML, found by the property "uuid") and AMD's (AMD SMI,
// by "pci"), whichever backend drives it. The vendor is the one that the driver reports: the property "vendor", or the backend
// cuda.
bool are_read_of(const DeviceInfo& device);

// Returns "NVML, driver 550.54.15", "AMD SMI, driver 6.10.5", or in one line why clocks and heat stay unknown while the device is
// timed: its property "sensors". Opens the library; call it only in a worker process.
std::string sensors_text(const DeviceInfo& device);

// The sensors of one device, opened at the first reading. A library that failed to open is not tried again: each try may take up to
// its time limit. Used by one thread.
class DeviceSensors final : public DeviceMonitor {
 public:
  explicit DeviceSensors(DeviceInfo device) : device_(std::move(device)) {}
  Result<DeviceState> state() override;
  std::string driver_version() override;

 private:
  const Result<std::unique_ptr<DeviceMonitor>>& opened();

  DeviceInfo device_;
  std::optional<Result<std::unique_ptr<DeviceMonitor>>> monitor_;  // or why there are no sensors
};

}  // namespace fuselab::sensors
