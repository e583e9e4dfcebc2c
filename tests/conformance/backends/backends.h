// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

// One per file of this folder.
BackendCase cpu_case();
BackendCase cuda_case();
BackendCase null_case();
BackendCase onednn_case();
BackendCase opencl_case();

}  // namespace fuselab::conformance
