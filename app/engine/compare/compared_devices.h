// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/compare/table/compare_builder.h"
#include "core/backend/device_choice.h"
#include "core/backend/discovery.h"

namespace fuselab::engine {

// Returns the chosen devices (see select_devices()), each with the environment that its figures would be stored with now and the
// ceilings stored for that environment.
Result<std::vector<ComparedDevice>> compared_devices(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                     const DeviceChoice& wanted, bool synthetic);

}  // namespace fuselab::engine
