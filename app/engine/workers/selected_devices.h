// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Devices of a job: the usable ones that it names, or all; synthetic ones only when the configuration asks for them or they are
// named, and each piece of silicon once, through the first backend that drives it: the host's processor through another one than
// cpu (OpenCL) only when that is named, is among the `measured` or cpu cannot be used. The error lists what there is.
Result<std::vector<DeviceInfo>> select_devices(const std::vector<BackendReport>& backends, const std::vector<std::string>& wanted,
                                               bool synthetic, const std::set<std::string>& measured = {});

}  // namespace fuselab::engine
