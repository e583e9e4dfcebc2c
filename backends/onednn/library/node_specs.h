// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// A node with what it reads, where that lies; absent for scalars that are constants.
struct BoundNode {
  const Graph* graph = nullptr;
  const Node* node = nullptr;
  std::vector<std::optional<Operand>> inputs;
  std::vector<std::optional<double>> constants;  // beside inputs: one of the two is there
  std::vector<bool> parameters;                  // beside inputs: the value is one of the graph's parameters

  const TensorType& result() const { return graph->type(node->outputs.front()); }
};

// What an element-wise node does to one of its operands: an algorithm alone, or with another operand.
struct ElementWise {
  std::vector<PostOp> steps;         // in order; a binary one without its operand set
  std::size_t through = 0;           // the input that it is done to
  std::optional<std::size_t> other;  // the input that is the operand of the binary step
};
// Every way to read the node so, best first; empty for what the library has no algorithm for.
std::vector<ElementWise> readings_of(const BoundNode& node);

// The primitive that computes the node; its destination has a layout and no tensor yet.
Result<PrimitiveSpec> contraction_spec(const BoundNode& node);  // MatMul, Gemm
Result<PrimitiveSpec> convolution_spec(const BoundNode& node);
Result<PrimitiveSpec> pooling_spec(const BoundNode& node);
Result<PrimitiveSpec> row_spec(const BoundNode& node);  // softmax, normalizations, reductions
Result<PrimitiveSpec> element_wise_spec(const BoundNode& node);
Result<PrimitiveSpec> node_spec(const BoundNode& node);  // any of these

// An operand of the other side of a binary, in the dimensions of a primitive's destination: `value_dims` are those of the graph's
// value there. Nothing where it cannot be seen so.
std::optional<Operand> fitted(const Operand& operand, const std::vector<std::int64_t>& value_dims,
                              const std::vector<std::int64_t>& destination_dims);

}  // namespace fuselab::onednn
