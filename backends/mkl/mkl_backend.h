// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of Intel's MKL on this machine's processor: products of matrices and vector mathematics. Opened at run time;
// constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_mkl_backend();

}  // namespace fuselab
