// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/opencl/opencl_library.h"
#include "core/backend/device_info.h"

namespace fuselab::opencl {

// A device of some platform, with the handle for calls.
struct OpenClDevice {
  abi::Device handle = nullptr;
  DeviceInfo info;
};

// Returns every device of every platform, in the loader's order: opencl:0 and on. Unreported facts are absent. A target's id names
// the device and holds a hash of the platform's and driver's versions: a binary is never given to another driver than the one that
// made it.
// Fails with kUnavailable and one line where there is no platform or no device.
Result<std::vector<OpenClDevice>> list_devices(const OpenClLibrary& library);

}  // namespace fuselab::opencl
