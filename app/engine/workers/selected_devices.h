// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/backend/device_choice.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Which of the backends that drive the same silicon take part unnamed: a processor may be driven by several.
enum class Drivers {
  kAll,    // backends are compared
  kFirst,  // the silicon is measured once: through cpu where that drives it, else through the first that does
};

// Returns the devices of a job, preferred ones first: the usable ones that are named, or all, without those that are excepted.
// Synthetic ones are included only when the configuration asks for them or they are named.
// Fails with an error that lists the devices there are, for a name that is known nowhere; for a device that is named to be taken
// and cannot be used; and where no device is left.
Result<std::vector<DeviceInfo>> select_devices(const std::vector<BackendReport>& backends, const DeviceChoice& choice,
                                               bool synthetic, Drivers drivers = Drivers::kAll);

// Returns a line for each preferred name that cannot be used here: "cuda is preferred and cannot be used here: no libcuda.so.1".
std::vector<std::string> unusable_preferences(const std::vector<BackendReport>& backends, const DeviceChoice& choice);

}  // namespace fuselab::engine
