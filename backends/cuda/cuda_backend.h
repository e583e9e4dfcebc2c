// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Generated CUDA C++ on NVIDIA's driver and NVRTC, both opened at run time: either may be missing, and with the compiler alone
// kernels are still made for every listed architecture. Constructing it touches nothing.
std::unique_ptr<FusionBackend> make_cuda_backend();

}  // namespace fuselab
