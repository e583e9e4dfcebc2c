// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/backend/device_choice.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Returns the choice with the user's own preferences where it states none: the default backend that was set or, where that
// cannot be used, the first usable one of its fallbacks; then those of config.toml.
// Fails with kNotFound for a name in these files that no backend or device has, and as their readers do.
Result<DeviceChoice> with_user_preferences(const Config& config, DeviceChoice choice, const std::vector<BackendReport>& backends);

}  // namespace fuselab::engine
