// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab::conformance {

// Graphs that use an operator at small odd sizes, with every float tensor of the given type: none where ONNX does not define
// the operator for it. Empty for leaves and barriers.
std::vector<Graph> graphs_of(Op op, DType dtype);

// The built-in workloads at small odd sizes, f32.
struct SmallWorkload {
  std::string id;
  Graph graph;
};
std::vector<SmallWorkload> small_workloads();

}  // namespace fuselab::conformance
