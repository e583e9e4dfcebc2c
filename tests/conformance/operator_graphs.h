// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab::conformance {

struct OperatorGraph {
  std::string what;  // "Reshape/f32", or with a variant "Reshape+Relu/f32": what exceptions name
  Graph graph;
};

// Graphs that use an operator at small odd sizes, with every float tensor of the given type: none where ONNX does not define
// the operator for it. Empty for leaves and barriers.
std::vector<OperatorGraph> graphs_of(Op op, DType dtype);

// The built-in workloads at small odd sizes, f32.
struct SmallWorkload {
  std::string id;
  Graph graph;
};
std::vector<SmallWorkload> small_workloads();

}  // namespace fuselab::conformance
