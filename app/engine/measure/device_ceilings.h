// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::engine {

// The measured ceilings of one device, or the reason why there are none.
struct DeviceCeilings {
  DeviceInfo device;
  std::vector<Ceiling> rows;
  std::string why_not;
};

// Measures the ceilings of these devices (ids or backends; empty: every usable one) and stores nothing. Spends `seconds` on each
// stream mix at each working set, and on the arithmetic rate.
Result<std::vector<DeviceCeilings>> measure_ceilings(const Config& config, const DeviceChoice& devices, double seconds);

}  // namespace fuselab::engine
