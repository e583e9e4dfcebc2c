// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Triton: writes its Python here, compiles it in a Python helper, and launches its cubins through CUDA's driver.
std::unique_ptr<FusionBackend> make_triton_backend();

}  // namespace fuselab
