// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// A node with the operands that it reads; absent for scalars that are constants.
struct BoundNode {
  const Graph* graph = nullptr;
  const Node* node = nullptr;
  std::vector<std::optional<Operand>> inputs;
  std::vector<std::optional<double>> constants;  // by input: set where the operand is absent
  std::vector<bool> parameters;                  // by input: the value is one of the graph's parameters

  const TensorType& result() const { return graph->type(node->outputs.front()); }
};

// The action of an element-wise node on one of its operands: an algorithm alone, or with another operand.
struct ElementWise {
  std::vector<PostOp> steps;         // in order; a binary step has no operand set
  std::size_t through = 0;           // the input that it acts on
  std::optional<std::size_t> other;  // the input that is the operand of the binary step
};
// Returns every reading of the node in this form, best first; empty where the library has no algorithm.
std::vector<ElementWise> readings_of(const BoundNode& node);

// These return the primitive that computes the node; its destination has a layout and no tensor yet.
Result<PrimitiveSpec> contraction_spec(const BoundNode& node);  // MatMul, Gemm
Result<PrimitiveSpec> convolution_spec(const BoundNode& node);
Result<PrimitiveSpec> pooling_spec(const BoundNode& node);
Result<PrimitiveSpec> row_spec(const BoundNode& node);  // softmax, normalizations, reductions
Result<PrimitiveSpec> element_wise_spec(const BoundNode& node);
Result<PrimitiveSpec> node_spec(const BoundNode& node);  // any of these

// Returns an operand for the other side of a binary, in the dimensions of a primitive's destination; `value_dims` are those of the
// graph's value there. Returns nothing where it cannot be viewed so.
std::optional<Operand> fitted(const Operand& operand, const std::vector<std::int64_t>& value_dims,
                              const std::vector<std::int64_t>& destination_dims);

}  // namespace fuselab::onednn
