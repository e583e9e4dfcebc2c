// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/compare/compare_builder.h"
#include "core/backend/discovery.h"

namespace fuselab::engine {

// The chosen devices (see select_devices()) with the environment that their figures would be stored with now, and their stored
// limits of that environment.
Result<std::vector<ComparedDevice>> compared_devices(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                     const std::vector<std::string>& wanted, bool synthetic);

}  // namespace fuselab::engine
