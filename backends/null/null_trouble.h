// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/device_info.h"
#include "core/backend/device_runtime.h"

namespace fuselab::null {

// Returns the runtime of a synthetic device: one that counts, unless $FUSELAB_NULL_TROUBLE, read when the device is opened, names a
// defect of the device itself, whatever it runs:
//   throttled  its sensors report that it slowed itself down for heat, so that everything it times is discarded
//   clock      every seventh timing goes backwards
//   counters-denied, counters-crash, counters-hang, counters-fail
//              its counters may not be read, end the process, never come back, or fail in every pass but the first
//   lost       it is found and opened, and the first launch ends the process, as a driver's does that lost its device
std::unique_ptr<DeviceRuntime> make_runtime(const DeviceInfo& device);

}  // namespace fuselab::null
