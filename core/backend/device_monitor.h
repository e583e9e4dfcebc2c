// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/measure/device_states.h"

namespace fuselab {

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Reads the device's own sensors, between timings: a reading takes
// tens of microseconds or more. Used by the runtime's thread.
class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  // Fails with kUnavailable and the reason where the vendor's library is missing or does not know the device.
  virtual Result<DeviceState> state() = 0;
  // Returns the driver's version: "550.54.15"; empty where state() fails.
  virtual std::string driver_version() = 0;
};

}  // namespace fuselab
