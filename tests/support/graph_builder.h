// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/graph/graph.h"

namespace fuselab::testing {

// The graph of a text, with symbols bound where a binding is given: graph_from("graph(x: f32[n]) { y = Exp(x); return y }", "n=8").
// A text that is no graph ends the test with the parser's message.
Graph graph_from(std::string_view text, std::string_view shape = "");

// A built-in workload of a small or its default shape: workload_graph("w3", "rows=7,cols=33", DType::kF16).
Graph workload_graph(std::string_view name, std::string_view shape = "", DType dtype = DType::kF32);

// The value called so, and the node that makes it.
ValueId value_named(const Graph& graph, std::string_view name);
NodeId maker_of(const Graph& graph, std::string_view name);

}  // namespace fuselab::testing
