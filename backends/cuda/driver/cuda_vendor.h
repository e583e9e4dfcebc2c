// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/gpu/stream/vendor.h"

namespace fuselab::cuda {

// What backends/gpu/stream has to know of CUDA.
const gpu::stream::Vendor& cuda_vendor();

// Returns a version of CUDA as people write it: "12.8" for 12080.
std::string version_text(int version);

}  // namespace fuselab::cuda
