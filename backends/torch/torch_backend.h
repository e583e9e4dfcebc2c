// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of PyTorch's own kernels on this machine's processor, one call an operator, without Python. Its library is
// opened at run time; constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_torch_backend();

}  // namespace fuselab
