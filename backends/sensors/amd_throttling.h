// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backends/sensors/abi/amd_smi_abi.h"

namespace fuselab::sensors {

// Returns the reasons for an AMD GPU's low clocks, as those of core/measure/device_states.h. Linux' amdgpu numbers them alike for
// all chips (drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h, SMU_THROTTLER_…_BIT): 0 to 15 limits of power, 16 to 31 of current, 32
// to 45 of temperature, 46 and 47 a processor's "hot" line. A limit of current is reported as one of power. 56 (PPM) and 57 (FIT)
// are ignored, since their meaning is not documented.
std::uint64_t reasons_of_status(std::uint64_t status);

// Counts of the firmware's cycles in which a chip was slowed down, which chips have since MI300.
struct SlowedCycles {
  std::uint64_t processor_hot = 0, package_power = 0, socket_heat = 0, regulator_heat = 0, memory_heat = 0;
};
// Returns nothing where the device does not count.
std::optional<SlowedCycles> slowed_cycles(const abi::AmdGpuMetrics& metrics);
// Returns the reasons whose counts increased.
std::uint64_t reasons_between(const SlowedCycles& before, const SlowedCycles& now);

}  // namespace fuselab::sensors
