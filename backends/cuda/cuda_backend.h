// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of generated CUDA C++ on NVIDIA's driver and NVRTC, both opened at run time. Either may be missing: with the
// compiler alone, kernels are still made for every listed architecture. Constructing it touches nothing.
std::unique_ptr<FusionBackend> make_cuda_backend();

}  // namespace fuselab
