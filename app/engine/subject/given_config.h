// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/wire/messages.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/launch_config.h"

// Handles a launch configuration or target that the user names instead of Fuselab's own choice, so that a failure can be repeated.
namespace fuselab::engine {

// Returns the configuration to measure: `given`, completed from the generator's default. `where` names the kernel and the device.
// Fails with kInvalidArgument, listing the valid keys and values, for what is not in the space.
Result<LaunchConfig> completed_config(const LaunchConfig& given, const wire::DescribeReply& described, const std::string& where);

// Returns the device with this one of its targets to generate for; an empty name leaves it as it is.
// Fails with kUnavailable, listing the device's targets, when the device does not run code for it.
Result<DeviceInfo> on_target(DeviceInfo device, const std::string& target);

}  // namespace fuselab::engine
