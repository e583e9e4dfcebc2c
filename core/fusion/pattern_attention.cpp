// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/fusion/patterns.h"

namespace fuselab {
namespace {

bool is_scale(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  if (node.op != Op::kMul && node.op != Op::kDiv) return false;
  return index.is_constant(node.inputs[1]) || (node.op == Op::kMul && index.is_constant(node.inputs[0]));
}

ValueId scaled_operand(const GraphIndex& index, NodeId scale) {
  const auto& inputs = index.node(scale).inputs;
  return index.is_constant(inputs[0]) ? inputs[1] : inputs[0];
}

// Score-shaped operand of a masking Add or Where, or none when the node does not mask.
std::optional<ValueId> masked_operand(const GraphIndex& index, NodeId id, const Shape& scores) {
  const Node& node = index.node(id);
  if (node.op != Op::kAdd && node.op != Op::kWhere) return std::nullopt;
  for (ValueId input : node.inputs) {
    if (index.type(input).shape != scores || !index.maker(input)) continue;
    const Op op = index.node(*index.maker(input)).op;
    if (op == Op::kMatMul || op == Op::kMul || op == Op::kDiv) return input;
  }
  return std::nullopt;
}

// From the softmax's input up to the MatMul of the scores, through what only scales and masks.
std::optional<NodeId> find_scores(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const Shape scores = index.type(value).shape;
  constexpr int kLongestChain = 4;  // scale, mask, causal mask, cast
  for (int step = 0; step <= kLongestChain; ++step) {
    const auto maker = index.maker(value);
    // Scores that anybody else reads would have to be written out: then one kernel gains nothing.
    if (!maker || !index.sole_reader(value)) return std::nullopt;
    nodes.push_back(*maker);
    if (index.node(*maker).op == Op::kMatMul) return maker;
    if (is_scale(index, *maker)) {
      value = scaled_operand(index, *maker);
    } else if (index.node(*maker).op == Op::kCast || index.node(*maker).op == Op::kIdentity) {
      value = index.node(*maker).inputs.front();
    } else if (const auto masked = masked_operand(index, *maker, scores)) {
      value = *masked;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// What only scales an operand of the scores, and K's transpose, is read with the operand.
void absorb_operand(const GraphIndex& index, ValueId operand, bool with_transpose, std::vector<NodeId>& nodes) {
  while (const auto maker = index.maker(operand)) {
    if (!index.sole_reader(operand)) return;
    const bool scale = is_scale(index, *maker);
    if (!scale && !(with_transpose && index.node(*maker).op == Op::kTranspose)) return;
    with_transpose = with_transpose && scale;
    nodes.push_back(*maker);
    operand = scale ? scaled_operand(index, *maker) : index.node(*maker).inputs.front();
  }
}

}  // namespace

std::optional<PatternMatch> find_attention(const GraphIndex& index, NodeId softmax) {
  if (index.node(softmax).op != Op::kSoftmax || !works_on_last_axis(index, softmax)) return std::nullopt;
  std::vector<NodeId> nodes{softmax};
  const auto scores = find_scores(index, index.node(softmax).inputs.front(), nodes);
  if (!scores) return std::nullopt;
  ValueId weights = output_of(index, softmax);
  auto product = index.sole_reader(weights);
  while (product && (index.node(*product).op == Op::kIdentity || index.node(*product).op == Op::kCast)) {
    nodes.push_back(*product);
    weights = output_of(index, *product);
    product = index.sole_reader(weights);
  }
  if (!product || index.node(*product).op != Op::kMatMul || index.node(*product).inputs[0] != weights) return std::nullopt;
  nodes.push_back(*product);
  absorb_operand(index, index.node(*scores).inputs[0], false, nodes);
  absorb_operand(index, index.node(*scores).inputs[1], true, nodes);
  return PatternMatch{FusionPatternType::kAttention, Form::kAttention, index.out_type(*product).shape, *product,
                      node_set(std::move(nodes))};
}

}  // namespace fuselab
