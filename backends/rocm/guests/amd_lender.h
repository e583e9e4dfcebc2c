// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backends/gpu/guests/guest_devices.h"
#include "backends/loading/vendor_library.h"

namespace fuselab::hip {

// Lends the AMD GPUs here, on HIP's runtime. Ceilings are measured by kernels that clang or hiprtc compiles. Touches nothing yet.
gpu::Lender amd_lender();

// Opens a library of ROCm's where its installers put it, and takes these functions from it. `name` is what $FUSELAB_LIB_<NAME>
// overrides. Fails with kUnavailable and one line.
Result<loading::OpenedLibrary> open_amd_library(std::string_view name, std::span<const std::string_view> sonames,
                                                std::span<const loading::Symbol> symbols);

}  // namespace fuselab::hip
