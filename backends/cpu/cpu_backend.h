// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of generated C on this machine's processor. Constructing it touches nothing; probe() compiles a tiny kernel,
// once.
std::unique_ptr<FusionBackend> make_cpu_backend();

}  // namespace fuselab
