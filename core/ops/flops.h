// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/ops/op.h"
#include "core/types/attributes.h"
#include "core/types/tensor_type.h"

namespace fuselab {

// Returns the FLOPs of one call of an operator with concrete types (formulas: GEMM 2MNK; conv 2·N·K·P·Q·C·R·S; see op.h).
// `result`: the type of its first output.
double flops_of(Op op, std::span<const TensorType> inputs, const TensorType& result, const Attributes& attributes);

}  // namespace fuselab
