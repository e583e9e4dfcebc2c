// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/constants/generated_numbers.h"

namespace fuselab::onnx {

class SparseTensorProto;

// Returns the numbers of a sparse tensor as those of a dense one of this type: zero wherever the file gives none.
// Fails where its places do not fit its values or its extents, and where its numbers lie in another file.
Result<GeneratedNumbers> dense_numbers(const SparseTensorProto& sparse, const TensorType& type);

}  // namespace fuselab::onnx
