// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Returns the devices of a job: the usable ones that it names, or all. Synthetic ones are included only when the configuration asks
// for them or they are named. Each piece of silicon comes once, through the first backend that drives it: the host's processor
// through another one than cpu (OpenCL) only when that is named, is among the `measured` or cpu cannot be used.
// Fails with an error that lists the devices there are.
Result<std::vector<DeviceInfo>> select_devices(const std::vector<BackendReport>& backends, const std::vector<std::string>& wanted,
                                               bool synthetic, const std::set<std::string>& measured = {});

}  // namespace fuselab::engine
