// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/types/attributes.h"
#include "core/types/tensor_type.h"

namespace fuselab {

// The most operands that a node of a graph, in text or imported, may have: far above real models, to bound hostile ones.
inline constexpr std::size_t kMostOperands = 65536;

// Returns the output types of an operator for its input types, with ONNX semantics. Symbolic extents pass through, and two
// different symbols do not broadcast.
// Fails with the operator, the operand and both shapes.
Result<std::vector<TensorType>> infer_types(Op op, std::span<const TensorType> inputs, const Attributes& attributes);

// Broadcasts two shapes as numpy does.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace fuselab
