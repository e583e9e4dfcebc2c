// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/gpu/stream/vendor.h"

namespace fuselab::hip {

// Returns "7.1" for 70125424.
std::string version_text(int version);

// The codes, numbers and words of HIP's runtime. Devices have neither clusters nor a copy engine that reads tensor maps.
const gpu::stream::Vendor& hip_vendor();

}  // namespace fuselab::hip
