// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/driver/cuda_driver.h"
#include "backends/gpu/stream/device_facts.h"
#include "core/backend/device_info.h"

namespace fuselab::cuda {

using gpu::stream::FoundDevices;

// Returns what the driver reports about each of its devices, without opening one. Unreported facts are absent, and so is free
// memory, which only an opened device tells.
Result<FoundDevices> describe_devices(const CudaDriver& driver);

// Returns the lower architectures of the same generation whose code runs on this one, "sm_86" and "sm_80" for 8.9, with the limits
// of `own`. Code does not move between embedded processors (Tegra: sm_87, sm_110) and others: CUDA C++ Programming Guide, "Binary
// Compatibility".
std::vector<Target> lower_targets(const Target& own, int major, int minor);

// Returns an architecture's target, such as "sm_90", with the limits that are documented for it, if there are any.
Target named_target(const std::string& id);

}  // namespace fuselab::cuda
