// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/backend/device_info.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::engine {

// A device of this machine with the ceilings that were measured on it; none where its backend cannot measure them.
struct MeasuredCeilings {
  const DeviceInfo* device = nullptr;
  const CeilingTable* table = nullptr;
};

// Returns for each device, in the same order, the ceilings of the hardware it is. Several backends drive the host's processor,
// which has one arithmetic rate and one bandwidth of each kind of stream, however fast one backend's own probe was: the highest
// rate that any of them reached. Other devices keep their own ceilings.
std::vector<CeilingTable> shared_ceilings(const std::vector<MeasuredCeilings>& devices);

}  // namespace fuselab::engine
