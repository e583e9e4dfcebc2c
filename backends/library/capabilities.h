// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/backend/device_info.h"

namespace fuselab::library {

// Returns what such a library can do with these patterns, types and operators. It cuts a piece into calls of its own, so that
// little limits it; but an element-wise operator that it lacks and that others write as a kernel of its own would keep its
// neighbours from running, so it is kept apart. Operators that other backends fuse are not: that would take the fused kernel from
// them.
BackendCapabilities capabilities_of(std::vector<std::string> patterns, std::vector<DType> dtypes, std::vector<Op> operators);

}  // namespace fuselab::library
