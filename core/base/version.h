// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuselab {

// Returns "0.1.0". It is part of every stored environment, so that rows of another version are never taken for this one's.
std::string_view tool_version();

}  // namespace fuselab
