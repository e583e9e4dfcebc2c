// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "core/backend/backend.h"

namespace fuselab {

// A system that the project names but that cannot run anything here: probe() looks on this machine and says why. It has no
// devices, no generator and no capabilities; what its documents claim stands in declared_systems.h.
std::unique_ptr<FusionBackend> make_declared_backend(std::string_view id);

}  // namespace fuselab
