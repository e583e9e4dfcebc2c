// SPDX-License-Identifier: Apache-2.0
#include "app/views/plan_words.h"

#include <algorithm>

namespace fuselab::engine {

std::ptrdiff_t running_operators(const Graph& graph) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                       [](const Node& node) { return node.op != Op::kConstant && !is_view(node.op); });
}

bool is_single_operator(const Graph& graph) {
  return running_operators(graph) <= 1;
}

std::string_view plan_word(PlanKind kind, bool single_operator) {
  return single_operator ? "single" : name_of(kind);
}

}  // namespace fuselab::engine
