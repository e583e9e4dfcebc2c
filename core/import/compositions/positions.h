// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/import/compositions/composition.h"

namespace fuselab::onnx {

// Returns 0, 1, … extent - 1 along an axis, as i64, for tensors with `rank` axes; the other axes have the extent 1.
Composition::Term positions_along(Composition& graph, std::int64_t extent, std::size_t axis, std::size_t rank);

}  // namespace fuselab::onnx
