// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/compositions/composition.h"

namespace fuselab::onnx {

// Returns whether the file holds these numbers and all of them are 0. Null: it does not.
bool is_known_zero(const KnownTensor* known);

// Casts a number clipped to the range of the type. For e5m2 without saturation the cast itself makes infinities beyond the range.
Composition::Term saturated(Composition& graph, Composition::Term number, DType to, bool saturates = true);

}  // namespace fuselab::onnx
