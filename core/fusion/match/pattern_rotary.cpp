// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/patterns.h"

namespace fuselab {
namespace {

// Describes a value that is one part of another value's last axis.
struct Part {
  ValueId whole;
  std::vector<NodeId> nodes;
  bool first = false;                                // the part that starts at 0
  std::optional<std::int64_t> start = std::nullopt;  // where a Slice says so
};

std::optional<Part> part_of(const GraphIndex& index, ValueId value) {
  const auto maker = index.maker(value);
  if (!maker) return std::nullopt;
  const Node& node = index.node(*maker);
  const auto rank = static_cast<std::int64_t>(index.type(node.inputs.front()).shape.size());
  if (node.op == Op::kSplit && node.outputs.size() == 2) {
    const std::int64_t axis = node.attributes.integer("axis", 0);
    if (axis != -1 && axis != rank - 1) return std::nullopt;
    return Part{node.inputs.front(), {*maker}, node.outputs.front() == value};
  }
  if (node.op != Op::kSlice) return std::nullopt;
  const auto axes = node.attributes.integers("axes");
  const auto starts = node.attributes.integers("starts");
  const bool last_axis = axes.empty() ? rank == 1 : axes.size() == 1 && (axes[0] == -1 || axes[0] == rank - 1);
  if (!last_axis || starts.size() != 1) return std::nullopt;
  return Part{node.inputs.front(), {*maker}, starts[0] == 0, starts[0]};
}

// Returns whether the second part begins where the first ends. Parts of unknown length are taken to adjoin, since together they are
// as long as the whole.
bool adjoin(const GraphIndex& index, ValueId first, const Part& second, ValueId whole) {
  const Dim& length = index.type(first).shape.back();
  const Dim& all = index.type(whole).shape.back();
  if (!second.start || length.is_symbol() || all.is_symbol()) return true;
  return *second.start == length.extent() || *second.start + all.extent() == length.extent();
}

// concat(−x₂, x₁), with x and all nodes that make it.
std::optional<Part> rotated_half(const GraphIndex& index, NodeId concat) {
  const Node& node = index.node(concat);
  if (node.op != Op::kConcat || node.inputs.size() != 2) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(index.out_type(concat).shape.size());
  const std::int64_t axis = node.attributes.integer("axis", 0);
  const auto negated = made_by(index, node.inputs[0], Op::kNeg);
  if (!negated || (axis != -1 && axis != rank - 1)) return std::nullopt;
  const auto second = part_of(index, index.node(*negated).inputs.front());
  const auto first = part_of(index, node.inputs[1]);
  if (!first || !second || first->whole != second->whole || !first->first || second->first) return std::nullopt;
  if (index.type(first->whole).shape != index.out_type(concat).shape) return std::nullopt;
  if (!adjoin(index, node.inputs[1], *second, first->whole)) return std::nullopt;
  return Part{first->whole, {concat, *negated, first->nodes.front(), second->nodes.front()}, false};
}

}  // namespace

std::optional<PatternMatch> find_rotary(const GraphIndex& index, NodeId concat) {
  const auto rotated = rotated_half(index, concat);
  if (!rotated) return std::nullopt;
  const Shape& space = index.out_type(concat).shape;
  const auto sine = index.sole_reader(output_of(index, concat));
  if (!sine || index.node(*sine).op != Op::kMul) return std::nullopt;
  const auto sum = index.sole_reader(output_of(index, *sine));
  if (!sum || index.node(*sum).op != Op::kAdd || index.out_type(*sum).shape != space) return std::nullopt;
  const auto rest = other_operand(index, *sum, output_of(index, *sine));
  const auto cosine = rest ? made_by(index, *rest, Op::kMul) : std::nullopt;
  if (!cosine || !other_operand(index, *cosine, rotated->whole)) return std::nullopt;
  std::vector<NodeId> nodes = rotated->nodes;
  nodes.insert(nodes.end(), {*sine, *sum, *cosine});
  return PatternMatch{FusionPatternType::kRotaryEmbedding, Form::kRotary, space, std::nullopt, node_set(std::move(nodes))};
}

}  // namespace fuselab
