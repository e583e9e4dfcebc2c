// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab {

// Returns a text that is equal for two pieces that differ in their extents alone: the canonical text without its extents and
// without attributes that are extents (a Reshape's shape). An extent of 1 that may broadcast is kept, as are a weight's extents
// from the third on, because a 3×3 convolution is not a larger 1×1 one. Element types stay. Linear in the text.
std::string piece_signature(std::string_view canonical_text);

}  // namespace fuselab
