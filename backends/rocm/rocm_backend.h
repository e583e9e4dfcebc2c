// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Returns the backend of AMD's GPUs.
std::unique_ptr<FusionBackend> make_rocm_backend();

}  // namespace fuselab
