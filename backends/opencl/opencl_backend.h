// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of generated OpenCL C on every device that some installed driver (ICD) offers. The loader is opened at run
// time; constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_opencl_backend();

}  // namespace fuselab
