// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of what PyTorch computes eagerly on NVIDIA GPUs, without Python. Constructing it touches nothing.
std::unique_ptr<FusionBackend> make_torch_cuda_backend();

}  // namespace fuselab
