// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/graph/graph_text.h"

namespace fuselab {

// Types of the outputs of one operator, written as text: inferred("x: f32[2,3]", "Relu(x)") is "f32[2,3]";
// the error's message where there are none. Several outputs are separated by a blank.
inline std::string inferred(std::string_view inputs, std::string_view call, int outputs = 1) {
  std::string targets = "y0";
  for (int i = 1; i < outputs; ++i) targets += ", y" + std::to_string(i);
  const auto graph = parse_graph("graph(" + std::string(inputs) + ") { " + targets + " = " + std::string(call) + "; return y0 }");
  if (!graph.ok()) return graph.error().message;
  std::string types;
  for (const ValueId id : graph.value().nodes().back().outputs)
    types += (types.empty() ? "" : " ") + type_text(graph.value().type(id));
  return types;
}

}  // namespace fuselab
