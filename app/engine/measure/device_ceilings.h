// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/measure/ceiling.h"

namespace fuselab::engine {

// The measured limits of one device, or why there are none.
struct DeviceCeilings {
  DeviceInfo device;
  std::vector<Ceiling> rows;
  std::string why_not;
};

// Measures the limits of these devices (ids or backends; none: every usable one) and stores nothing: `seconds` for each stream mix
// at each working set, and for the arithmetic rate.
Result<std::vector<DeviceCeilings>> measure_ceilings(const Config& config, const std::vector<std::string>& devices, double seconds);

}  // namespace fuselab::engine
