// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/backend/device_info.h"

namespace fuselab::host {

// Returns the processor as one device, "cpu:0": the part of it that this process may use. Unknown facts are absent.
DeviceInfo describe_cpu();

// Returns the processors that this process may run on, in order, limited to the control group's quota.
std::vector<int> usable_cpus();

}  // namespace fuselab::host
