// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace fuselab::gpu {

// Called when the device is no longer usable by this process: a kernel failed while it ran, or the device is gone. Drivers give no
// meaningful answers after that.
using OnLost = std::function<void(const std::string& why)>;

// Writes the reason to stderr and ends the process at once. Its engine then blames the plan that was running and starts a fresh
// worker.
void end_process(const std::string& why);

}  // namespace fuselab::gpu
