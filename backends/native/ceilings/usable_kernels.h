// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/native/ceilings/stream_kernels.h"

namespace fuselab::cpu {

// Returns the kernels of the instruction sets that this processor has, the widest first; at least one.
const std::vector<const StreamKernels*>& usable_stream_kernels();
const StreamKernels& best_stream_kernels();  // the widest

}  // namespace fuselab::cpu
