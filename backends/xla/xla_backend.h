// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend that drives XLA's CPU plugin through the PJRT C API. Constructing it touches nothing; probe() opens the plugin.
std::unique_ptr<FusionBackend> make_xla_backend();

}  // namespace fuselab
