// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/cuda/driver/cuda_driver.h"
#include "core/backend/device_info.h"

namespace fuselab::cuda {

// The driver's devices, and of those that do not answer why: {"cuda:1", "it does not answer (cuDeviceGet): CUDA_ERROR_…"}.
struct FoundDevices {
  std::vector<DeviceInfo> devices;
  std::map<std::string, std::string> left_out;
  // "cuda:1 is left out: …", separated by "; "; empty when none is.
  std::string note() const;
};

// What the driver says of each of its devices, without opening one: free memory is therefore absent. What it does not say is
// absent.
Result<FoundDevices> describe_devices(const CudaDriver& driver);

// Lower architectures of the same generation, "sm_86" and "sm_80" for 8.9, whose code runs on this one, with `own`'s limits. None
// between embedded processors (Tegra: sm_87, sm_110) and others: CUDA C++ Programming Guide, "Binary Compatibility".
std::vector<Target> lower_targets(const Target& own, int major, int minor);

// An architecture's target with the limits that are documented for it, if there are any: "sm_90".
Target named_target(const std::string& id);

}  // namespace fuselab::cuda
