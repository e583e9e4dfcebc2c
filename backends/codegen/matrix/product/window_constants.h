// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backends/codegen/forms/contraction.h"

namespace fuselab::codegen {

// What the skeletons of convolutions find of the window before them. The results' depth is left out.
std::vector<std::pair<std::string, std::int64_t>> window_constants(const Windows& windows);

}  // namespace fuselab::codegen
