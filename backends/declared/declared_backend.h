// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of a system that the project names but that cannot run anything here: probe() looks on this machine and says
// why, or that it was left out of this build. It has no devices, no generator and no capabilities; the claims of its documents are
// in declared_systems.h.
std::unique_ptr<FusionBackend> make_declared_backend(const BackendInfo& info, bool is_left_out);

}  // namespace fuselab
