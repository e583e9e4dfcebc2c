// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/device_info.h"
#include "core/backend/device_runtime.h"

namespace fuselab::null {

// The runtime of a synthetic device: a NullRuntime, but where $FUSELAB_NULL_TROUBLE, read when the device is opened, says what is
// the matter with the device itself, whatever it runs:
//   throttled  its sensors say that it slowed itself down for heat, so that nothing that it times is evidence
//   clock      every seventh timing goes backwards
//   lost       it is found and opened, and the first launch ends the process, as a driver's does that lost its device
std::unique_ptr<DeviceRuntime> make_runtime(const DeviceInfo& device);

}  // namespace fuselab::null
