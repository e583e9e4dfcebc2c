// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/wire/messages.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/launch_config.h"

// What somebody names instead of what Fuselab would choose: how a failure is repeated.
namespace fuselab::engine {

// The configuration to measure: `given`, and the generator's default for what that leaves out. kInvalidArgument for what is not in
// the space, with the keys and values that are; `where` names the kernel and the device.
Result<LaunchConfig> completed_config(const LaunchConfig& given, const wire::DescribeReply& described, const std::string& where);

// The device with this one of its targets to generate for; an empty name leaves it as it is. kUnavailable, with those there are,
// when the device does not run code for it.
Result<DeviceInfo> on_target(DeviceInfo device, const std::string& target);

}  // namespace fuselab::engine
