// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of NNPACK on this machine's processor: convolutions by five algorithms, with a ReLU behind them. Its library is
// opened at run time; constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_nnpack_backend();

}  // namespace fuselab
