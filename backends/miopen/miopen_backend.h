// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of AMD's MIOpen: convolutions of images with a bias and an activation, on AMD's GPUs. Opened at run time;
// constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_miopen_backend();

}  // namespace fuselab
