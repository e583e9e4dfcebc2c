// SPDX-License-Identifier: Apache-2.0
#include "backends/library/claims.h"

#include <algorithm>
#include <string>

namespace fuselab::library {
namespace {

bool is_here(SeenOn on) {
#if defined(__x86_64__)
  if (on == SeenOn::kAvx512) return __builtin_cpu_supports("avx512f") != 0;
  if (on == SeenOn::kWithoutVnni) return __builtin_cpu_supports("avx512vnni") == 0;
#endif
  return on == SeenOn::kAll;
}

bool holds_any(const Graph& graph, std::span<const OpLoss> losses) {
  const auto loses = [losses](const Node& node) {
    return std::ranges::any_of(losses, [&node](const OpLoss& loss) { return loss.op == node.op && is_here(loss.on); });
  };
  return std::ranges::any_of(graph.nodes(), loses);
}

}  // namespace

std::vector<Op> Claims::operators() const {
  if (!asked.empty()) return {asked.begin(), asked.end()};
  std::vector<Op> operators;
  for (const Op op : computed_ops()) {
    // Logic computes bool alone, and bits are those of whole numbers: neither type is claimed.
    if (!is_logic(op) && op != Op::kBitwiseAnd && against(op) == nullptr) operators.push_back(op);
  }
  return operators;
}

const char* Claims::against(Op op) const {
  const auto known = std::ranges::find_if(
      wrong, [op](const OpFinding& each) { return each.op == op && each.form == nullptr && is_here(each.on); });
  if (known != wrong.end()) return known->what;
  const bool is_asked = asked.empty() || op == Op::kConstant || std::ranges::find(asked, op) != asked.end();
  return is_asked ? nullptr : not_asked;
}

Status Claims::may_hold(const Graph& graph) const {
  FL_TRY_VOID(has_elements(graph));
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::kOwnKernel) return Error{ErrorCode::kUnsupported, "a kernel of the user's own, which no library holds"};
    const char* what = against(node.op);
    for (const OpFinding& each : wrong) {
      if (what != nullptr) break;
      if (each.op == node.op && each.form != nullptr && is_here(each.on) && each.form(graph, node)) what = each.what;
    }
    if (what != nullptr) return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + what};
  }
  return {};
}

Drawbacks Claims::drawbacks_in(const Graph& graph) const {
  Drawbacks drawbacks;
  if (holds_any(graph, loses_nan)) drawbacks.add(Drawback::kNanLoss);
  if (holds_any(graph, loses_precision)) drawbacks.add(Drawback::kPrecisionLoss);
  return drawbacks;
}

Status has_elements(const Graph& graph) {
  for (const Value& value : graph.values()) {
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return Error{ErrorCode::kUnsupported, "a tensor without elements"};
  }
  return {};
}

}  // namespace fuselab::library
