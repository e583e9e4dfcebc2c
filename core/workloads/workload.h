// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab {

// A built-in fused workload: a graph with symbols, from resources/workloads/<id>.graph (embedded in the program).
struct Workload {
  std::string id;          // "w3-residual-rmsnorm"
  std::string title;       // "residual + RMSNorm (writes sum and norm)"
  std::string family;      // "norm", "element-wise", "contraction", …: how lists group it
  std::string graph_text;  // with comments
  Bindings default_shape;  // used when --shape is absent
  DType default_dtype = DType::kF32;
};

// Returns all built-in workloads, in the order W1, W2, …, then the eleven operations of S1 (ten of them, since its name() computes
// nothing).
std::span<const Workload> builtin_workloads();
// Finds a workload by id, else the first whose part before the first '-' is the name ("w3"), ignoring case.
// Fails with a list of similar names.
Result<const Workload*> find_workload(std::string_view name);
// Returns the other workloads that a short name accepted by find_workload() could mean ("w5": "w5-softmax-op"), in order; empty for
// an id.
std::vector<std::string> also_meant(std::string_view name);
// Returns the graph, bound (an empty shape means the default one) and of one element type: every float tensor takes `dtype`.
Result<Graph> instantiate(const Workload& workload, const Bindings& shape, DType dtype);

}  // namespace fuselab
