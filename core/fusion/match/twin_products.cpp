// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/twin_products.h"

#include <algorithm>

namespace fuselab {
namespace {

constexpr std::int64_t kMostFewRows = 16;  // such products wait for their weights, and a second left operand costs little
constexpr std::int64_t kLeastExtent = 8;   // along columns and depth

bool holds(std::span<const NodeId> nodes, NodeId id) {
  return std::binary_search(nodes.begin(), nodes.end(), id);
}

// A product is its sums alone where the node adds nothing to them, and only the kernel reads them.
bool is_bare(const GraphIndex& index, NodeId id, std::span<const NodeId> a_nodes, std::span<const NodeId> b_nodes) {
  const Node& node = index.node(id);
  const ValueId result = node.outputs.front();
  const auto readers = index.readers(result);
  const auto inside = [&](NodeId reader) { return holds(a_nodes, reader) || holds(b_nodes, reader); };
  return node.inputs.size() == 2 && node.attributes.real("alpha", 1.0) == 1.0 && !index.is_output(result) &&
         std::all_of(readers.begin(), readers.end(), inside);
}

bool same_turns(const Node& a, const Node& b) {
  const auto same = [&](const char* name) { return a.attributes.integer(name, 0) == b.attributes.integer(name, 0); };
  return a.op == b.op && same("transA") && same("transB");
}

// Returns what keeps the two products themselves from one kernel, or an empty text.
std::string unlike(const GraphIndex& index, const Node& a, const Node& b) {
  if (a.inputs[0] != b.inputs[0]) return "a kernel makes two products only of one left operand";
  if (!same_turns(a, b) || index.type(a.inputs[1]) != index.type(b.inputs[1])) return "the two right operands do not lie alike";
  const TensorType &left = index.type(a.inputs[0]), &right = index.type(a.inputs[1]), &result = index.type(a.outputs[0]);
  if (left.shape.size() < 2 || right.shape.size() != 2) return "only a matrix has a twin, beside rows that both share";
  if (left.dtype != right.dtype || (left.dtype != DType::kF32 && (!is_floating(left.dtype) || bits_of(left.dtype) != 16)))
    return "twin products are written for f32, f16 and bf16";
  for (const TensorType* type : {&left, &right, &result}) {
    for (const Dim& dim : type->shape) {
      if (dim.is_symbol()) return "whether two products pay in one kernel is known only with all extents";
    }
  }
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < result.shape.size(); ++axis) rows *= result.shape[axis].extent();
  if (rows <= kMostFewRows) return "so few rows gain nothing by two products in a kernel";
  if (right.shape[0].extent() < kLeastExtent || right.shape[1].extent() < kLeastExtent) return "the matrices are too narrow";
  return {};
}

}  // namespace

std::optional<Refusal> refuse_twins(const GraphIndex& index, const FusionOptions& options, const Group& a,
                                    std::span<const NodeId> a_nodes, const Group& b, std::span<const NodeId> b_nodes) {
  const auto no = [](std::string reason) { return Refusal{std::move(reason), {}}; };
  if (options.asked.empty() || a.form != Form::kMatrix || b.form != Form::kMatrix) return no("a kernel has one contraction");
  for (const BackendLimits& each : options.asked) {
    if (!each.limits.takes_twin_products) return Refusal{"a kernel has one contraction", each.backend};
  }
  if (a.twin || b.twin) return no("a kernel has at most two contractions");
  if (std::string why = unlike(index, index.node(*a.anchor), index.node(*b.anchor)); !why.empty()) return no(std::move(why));
  for (const NodeId anchor : {*a.anchor, *b.anchor}) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto maker = index.maker(index.node(anchor).inputs[i]);
      if (maker && (holds(a_nodes, *maker) || holds(b_nodes, *maker)))
        return no("a kernel of two products reads their operands as they lie in memory");
    }
  }
  if (!is_bare(index, *a.anchor, a_nodes, b_nodes) && !is_bare(index, *b.anchor, a_nodes, b_nodes))
    return no("others read both products, or each adds a number of its own");
  if (a.space != b.space) return no("what follows the two products has another shape");
  return std::nullopt;
}

}  // namespace fuselab
