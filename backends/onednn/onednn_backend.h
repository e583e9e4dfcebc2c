// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of Intel's oneDNN on this machine's processor: a library that provides the code. Opened at run time, major 2 or
// 3; constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_onednn_backend();

}  // namespace fuselab
