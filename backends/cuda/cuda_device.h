// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cuda/cuda_driver.h"
#include "core/backend/device_info.h"

namespace fuselab::cuda {

// What the driver says of each of its devices, without opening one: free memory is therefore absent. What it does not say is
// absent.
Result<std::vector<DeviceInfo>> describe_devices(const CudaDriver& driver);

// An architecture's target with the limits that are documented for it, if there are any: "sm_90".
Target named_target(const std::string& id);

}  // namespace fuselab::cuda
