// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/fusion/match/forms.h"
#include "core/fusion/match/patterns.h"

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

bool casts(const GraphIndex& index, NodeId id, int from_bits, int to_bits) {
  const Node& node = index.node(id);
  if (node.op != Op::kCast) return false;
  const DType from = index.type(node.inputs.front()).dtype, to = index.out_type(id).dtype;
  return is_floating(from) && is_floating(to) && bits_of(from) == from_bits && bits_of(to) == to_bits;
}

// Returns the operand of a widening Cast that makes this value, otherwise the value itself. Half-precision scores may have a
// softmax in f32, in which the kernels compute anyway.
ValueId unwidened(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const auto maker = index.maker(value);
  if (!maker || !index.sole_reader(value) || !casts(index, *maker, 16, 32)) return value;
  nodes.push_back(*maker);
  return index.node(*maker).inputs.front();
}

// Finds the MatMul of the scores from a value, through nodes that only scale or widen.
std::optional<NodeId> find_product(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  constexpr int kMostScales = 4;
  for (int step = 0; step <= kMostScales; ++step) {
    value = unwidened(index, value, nodes);
    const auto maker = index.maker(value);
    // Scores that anybody else reads would have to be written out: then one kernel gains nothing.
    if (!maker || !index.sole_reader(value)) return std::nullopt;
    nodes.push_back(*maker);
    if (index.node(*maker).op == Op::kMatMul) return maker;
    if (!is_scale(index, *maker)) return std::nullopt;
    value = scaled_operand(index, *maker);
  }
  return std::nullopt;
}

// The operands of a mask that may be the scores: of Add one beside a tensor, of Where one beside a number.
std::vector<ValueId> masked_operands(const GraphIndex& index, NodeId mask) {
  const auto& inputs = index.node(mask).inputs;
  const bool chooses = index.node(mask).op == Op::kWhere;
  if (!chooses && index.node(mask).op != Op::kAdd) return {};
  const std::size_t first = chooses ? 1 : 0;
  std::vector<ValueId> found;
  for (std::size_t i = first; i < inputs.size(); ++i) {
    const ValueId other = inputs[2 * first + 1 - i];
    const auto number = index.constant(other);
    if (other == inputs[i] || number.has_value() != chooses || (number && std::isnan(*number))) continue;
    if (index.type(inputs[i]).shape == index.out_type(mask).shape) found.push_back(inputs[i]);
  }
  return found;
}

// Finds the MatMul of the scores from the softmax's input. There may be one mask, which is met first, as no kernel scales a mask.
std::optional<NodeId> find_scores(const GraphIndex& index, ValueId value, std::vector<NodeId>& nodes) {
  const std::vector<NodeId> before = nodes;
  if (const auto product = find_product(index, value, nodes)) return product;
  const auto mask = index.maker(value);
  if (!mask || !index.sole_reader(value)) return std::nullopt;
  for (ValueId operand : masked_operands(index, *mask)) {
    nodes = before;
    nodes.push_back(*mask);
    if (const auto product = find_product(index, operand, nodes)) return product;
  }
  return std::nullopt;
}

// Returns whether K's vectors or their elements still follow each other in memory: a kernel reads no scattered keys.
bool leaves_keys_together(const GraphIndex& index, NodeId transpose) {
  const Shape& shape = index.out_type(transpose).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto order = index.node(transpose).attributes.integers("perm");
  if (order.empty()) return rank == 2;
  return rank >= 2 && (order[order.size() - 1] == rank - 1 || order[order.size() - 2] == rank - 1);
}

// Adds the nodes that only scale an operand of the scores, and K's transpose: they are read with the operand.
void absorb_operand(const GraphIndex& index, ValueId operand, bool with_transpose, std::vector<NodeId>& nodes) {
  while (const auto maker = index.maker(operand)) {
    if (!index.sole_reader(operand)) return;
    const bool scale = is_scale(index, *maker);
    const bool turns = with_transpose && index.node(*maker).op == Op::kTranspose && leaves_keys_together(index, *maker);
    if (!scale && !turns) return;
    with_transpose = with_transpose && scale;
    nodes.push_back(*maker);
    operand = scale ? scaled_operand(index, *maker) : index.node(*maker).inputs.front();
  }
}

// Matrices of numbers that the kernels compute with.
bool are_matrices(const GraphIndex& index, NodeId product) {
  const auto& inputs = index.node(product).inputs;
  return std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) {
    const TensorType& type = index.type(input);
    return type.shape.size() >= 2 && is_floating(type.dtype) && bits_of(type.dtype) >= 16;
  });
}

bool have_same_batches(const Shape& a, const Shape& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
}

}  // namespace

// Takes just what backends/codegen/forms/attention.cpp reads: what else it seeded would be a piece that nobody writes.
std::optional<PatternMatch> find_attention(const GraphIndex& index, NodeId softmax) {
  if (index.node(softmax).op != Op::kSoftmax || !works_on_last_axis(index, softmax)) return std::nullopt;
  std::vector<NodeId> nodes{softmax};
  const auto scores = find_scores(index, unwidened(index, index.node(softmax).inputs.front(), nodes), nodes);
  if (!scores) return std::nullopt;
  ValueId weights = output_of(index, softmax);
  auto product = index.sole_reader(weights);
  if (product && casts(index, *product, 32, 16)) {
    nodes.push_back(*product);
    weights = output_of(index, *product);
    product = index.sole_reader(weights);
  }
  if (!product || index.node(*product).op != Op::kMatMul) return std::nullopt;
  if (index.node(*product).inputs[0] != weights || index.node(*product).inputs[1] == weights) return std::nullopt;
  if (!are_matrices(index, *scores) || !are_matrices(index, *product)) return std::nullopt;
  if (!have_same_batches(index.out_type(softmax).shape, index.out_type(*product).shape)) return std::nullopt;
  nodes.push_back(*product);
  absorb_operand(index, index.node(*scores).inputs[0], false, nodes);
  absorb_operand(index, index.node(*scores).inputs[1], true, nodes);
  return PatternMatch{FusionPatternType::kAttention, Form::kAttention, index.out_type(*product).shape, *product,
                      node_set(std::move(nodes))};
}

}  // namespace fuselab
