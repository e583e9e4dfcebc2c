// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/backend/device_info.h"

namespace fuselab::host {

// The processor as one device, "cpu:0": what this process may use of it. Unknown facts are absent.
DeviceInfo describe_cpu();

// The processors this process may run on, in order, cut to what the control group's quota pays for.
std::vector<int> usable_cpus();

}  // namespace fuselab::host
