// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab {

// What two pieces have in common that differ in their extents alone: the canonical text with every extent taken out, but a 1 that
// may broadcast, and with it the attributes that are extents (a Reshape's shape). A weight keeps its extents from the third on: a
// 3×3 convolution is no larger 1×1 one. Element types stay. Linear in the text.
std::string piece_signature(std::string_view canonical_text);

}  // namespace fuselab
