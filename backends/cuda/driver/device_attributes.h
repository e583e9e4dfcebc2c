// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cuda/driver/cuda_driver.h"
#include "core/backend/device_info.h"

namespace fuselab::cuda {

// Returns every attribute of the device that a driver of this version is known to have, in the order of their numbers. Attributes
// that it does not have are not queried: tools that watch calls count a refused one as an error.
std::vector<DeviceAttribute> device_attributes(const CudaDriver& driver, abi::Device device);

}  // namespace fuselab::cuda
