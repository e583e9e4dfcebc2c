// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/claims.h"

#include <algorithm>

#include "backends/library/claims.h"
#include "backends/xla/library/pjrt_library.h"
#include "backends/xla/stablehlo/stablehlo_text.h"

namespace fuselab::xla {
namespace {

// Seen with PJRT 0.115 on AVX2.
constexpr const char* kPowIsWrong = "XLA leaves the tolerance of f32 at denormal numbers (seen with PJRT 0.115)";
constexpr Op kLosesNan[] = {Op::kMin, Op::kMax, Op::kReduceMax, Op::kMaxPool, Op::kAttention};

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = written_operators();
  return claimed;
}

Status may_compute(const Graph& graph) {
  const auto refused = [](const std::string& what) { return Error{ErrorCode::kUnsupported, what}; };
  const auto& claimed = claimed_operators();
  for (const Node& node : graph.nodes()) {
    if (is_square(graph, node) || node.op == Op::kConstant) continue;
    if (std::find(claimed.begin(), claimed.end(), node.op) != claimed.end()) continue;
    return refused(std::string(name_of(node.op)) + ": " + (node.op == Op::kPow ? kPowIsWrong : "it is not asked of XLA"));
  }
  for (const Value& value : graph.values()) {
    if (!is_asked_type(value.type.dtype)) return refused(std::string(name_of(value.type.dtype)) + " is not asked of XLA");
  }
  return library::has_elements(graph);
}

Drawbacks drawbacks_in(const Graph& graph) {
  return library::drawbacks_in(graph, kLosesNan);
}

}  // namespace fuselab::xla
