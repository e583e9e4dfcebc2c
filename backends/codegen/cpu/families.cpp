// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/families.h"

#include <algorithm>
#include <array>

#include "backends/codegen/cpu/attention/attention_family.h"
#include "backends/codegen/cpu/contraction_family.h"
#include "backends/codegen/cpu/convolution/convolution_family.h"
#include "backends/codegen/cpu/few_rows_family.h"
#include "backends/codegen/cpu/integers/integer_product_family.h"
#include "backends/codegen/cpu/integers/whole_product_family.h"
#include "backends/codegen/cpu/movement_family.h"
#include "backends/codegen/cpu/pool_family.h"
#include "backends/codegen/cpu/recurrence/recurrence_family.h"
#include "backends/codegen/cpu/row_family.h"
#include "backends/codegen/emit/generated_ops.h"
#include "backends/codegen/scalar/elements_family.h"
#include "core/cost/integer_product.h"

namespace fuselab::codegen {
namespace {

bool has(const Graph& graph, std::initializer_list<Op> operators) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [&](const Node& node) { return std::find(operators.begin(), operators.end(), node.op) != operators.end(); });
}

bool only_moves(const Graph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    const AccessPattern access = info_of(node.op).access;
    return access == AccessPattern::kMovement || access == AccessPattern::kGather || node.op == Op::kIdentity ||
           node.op == Op::kConstant;
  });
}

// The family that somebody who looks at the operators would ask: what the others lack says nothing about the graph.
std::string_view fitting(const Graph& graph) {
  const auto only_by_elements = [](const Node& node) { return !is_generated(node.op) && elements_cover(node.op); };
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), only_by_elements)) return "elements";
  if (has(graph, {Op::kLSTM, Op::kGRU, Op::kRNN})) return "recurrence";
  if (has(graph, {Op::kAttention}) || (has(graph, {Op::kSoftmax}) && has(graph, {Op::kMatMul}))) return "attention";
  if (has(graph, {Op::kConv})) return "convolution";
  const auto is_byte_product = [&](const Node& node) { return integer_product_of(graph, node).has_value(); };
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), is_byte_product)) return "integer product";
  if (has(graph, {Op::kMatMul, Op::kGemm})) return "contraction";
  if (has(graph, {Op::kMaxPool, Op::kAveragePool})) return "pool";
  return only_moves(graph) ? "movement" : "rows";
}

}  // namespace

std::span<const Family> families() {
  static const std::array kFamilies = {row_family(),           attention_family(),   convolution_family(),     few_rows_family(),
                                       whole_product_family(), contraction_family(), integer_product_family(), pool_family(),
                                       movement_family(),      recurrence_family(),  elements_family()};
  return kFamilies;
}

Result<const Family*> find_family(const Graph& graph, const Target& target) {
  std::string reason;
  for (const Family& family : families()) {
    const Support support = family.supports(graph, target);
    if (support.yes) return &family;
    if (family.name == fitting(graph)) reason = std::string(family.name) + ": " + support.why_not;
  }
  return Error{ErrorCode::kUnsupported, reason};
}

}  // namespace fuselab::codegen
