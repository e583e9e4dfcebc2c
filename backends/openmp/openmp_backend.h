// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of generated C whose threads are OpenMP's. Constructing it touches nothing; probe() compiles a tiny kernel.
std::unique_ptr<FusionBackend> make_openmp_backend();

}  // namespace fuselab
