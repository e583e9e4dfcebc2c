// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/gpu/stream/device_facts.h"
#include "backends/rocm/driver/hip_driver.h"

namespace fuselab::hip {

// Returns what HIP reports about each of its devices, without opening one. Unreported facts are absent, and so is free memory,
// which only an opened device tells. The target is the architecture: "gfx942" of "gfx942:sramecc+:xnack-", whose rest is the
// property "features". Code that asks for no feature runs with any.
Result<gpu::stream::FoundDevices> describe_devices(const HipDriver& driver);

// Returns an architecture's target, such as "gfx942", with the limits that are documented for it, if there are any.
Target named_target(const std::string& id);

}  // namespace fuselab::hip
