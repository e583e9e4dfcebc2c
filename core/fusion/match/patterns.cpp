// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/patterns.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/cost/integer_product.h"

namespace fuselab {
namespace {

// What the operands take as i32 is four times what they take as they are, and is written and read.
std::string saved_text(const GraphIndex& index, const IntegerProduct& product) {
  std::int64_t saved = 0;
  for (const ByteOperand& operand : {product.a, product.b}) {
    const auto size = size_of(index.type(operand.bytes));
    if (!size.ok()) return "MatMul multiplies its operands' 8-bit numbers as they lie in memory";
    saved += 2 * 4 * size.value().count;
  }
  return "MatMul multiplies its operands' 8-bit numbers as they lie in memory: " + format_bytes(Bytes{saved}) +
         " less are written and read";
}

}  // namespace

std::optional<NodeId> made_by(const GraphIndex& index, ValueId value, Op op) {
  const auto maker = index.maker(value);
  return maker && index.node(*maker).op == op ? maker : std::nullopt;
}

std::optional<NodeId> read_by(const GraphIndex& index, NodeId id, Op op) {
  for (NodeId reader : index.readers(output_of(index, id))) {
    if (index.node(reader).op == op) return reader;
  }
  return std::nullopt;
}

std::optional<ValueId> other_operand(const GraphIndex& index, NodeId id, ValueId value) {
  const auto& inputs = index.node(id).inputs;
  if (inputs.size() != 2 || inputs[0] == inputs[1]) return std::nullopt;
  if (inputs[0] == value) return inputs[1];
  if (inputs[1] == value) return inputs[0];
  return std::nullopt;
}

std::vector<NodeId> node_set(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::optional<PatternMatch> find_swiglu(const GraphIndex& index, NodeId gate) {
  std::vector<NodeId> nodes{gate};
  NodeId silu = gate;
  if (index.node(gate).op == Op::kSigmoid) {
    const ValueId input = index.node(gate).inputs.front();
    const auto product = index.sole_reader(output_of(index, gate));
    if (!product || index.node(*product).op != Op::kMul) return std::nullopt;
    if (other_operand(index, *product, output_of(index, gate)) != input) return std::nullopt;
    nodes.push_back(silu = *product);
  } else if (index.node(gate).op != Op::kSwish) {
    return std::nullopt;
  }
  const auto gated = index.sole_reader(output_of(index, silu));
  if (!gated || index.node(*gated).op != Op::kMul) return std::nullopt;
  const auto other = other_operand(index, *gated, output_of(index, silu));
  const Shape& space = index.out_type(*gated).shape;
  if (!other || index.type(*other).shape != space || index.out_type(silu).shape != space) return std::nullopt;
  nodes.push_back(*gated);
  return PatternMatch{FusionPatternType::kSwiGlu, Form::kElementWise, space, std::nullopt, node_set(std::move(nodes))};
}

std::optional<PatternMatch> find_transposed_operand(const GraphIndex& index, NodeId matmul) {
  if (index.node(matmul).op != Op::kMatMul) return std::nullopt;
  std::vector<NodeId> nodes{matmul};
  for (ValueId operand : index.node(matmul).inputs) {
    const auto transpose = made_by(index, operand, Op::kTranspose);
    if (!transpose || index.sole_reader(operand) != matmul) continue;
    const auto rank = static_cast<std::int64_t>(index.type(operand).shape.size());
    std::vector<std::int64_t> swapped;
    for (std::int64_t axis = 0; axis < rank; ++axis) swapped.push_back(axis);
    if (rank < 2) continue;
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    // Without `perm` a Transpose reverses all axes, which for a matrix is the same swap.
    const auto perm = index.node(*transpose).attributes.integers("perm");
    if (perm == swapped || (perm.empty() && rank == 2)) nodes.push_back(*transpose);
  }
  if (nodes.size() == 1) return std::nullopt;
  return PatternMatch{FusionPatternType::kLinearActivation, Form::kMatrix, index.out_type(matmul).shape, matmul,
                      node_set(std::move(nodes))};
}

std::optional<PatternMatch> find_integer_product(const GraphIndex& index, NodeId matmul) {
  const auto product = integer_product_of(index.graph(), index.node(matmul));
  if (!product) return std::nullopt;
  std::vector<NodeId> nodes = product->makers;
  nodes.push_back(matmul);
  nodes = node_set(std::move(nodes));
  const auto only_inside = [&](NodeId id) {
    const ValueId made = output_of(index, id);
    const auto readers = index.readers(made);
    return !index.is_output(made) && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return std::binary_search(nodes.begin(), nodes.end(), reader);
    });
  };
  if (!std::all_of(product->makers.begin(), product->makers.end(), only_inside)) return std::nullopt;
  return PatternMatch{
      FusionPatternType::kLinearActivation, Form::kMatrix, index.out_type(matmul).shape, matmul, std::move(nodes), product->makers,
      saved_text(index, *product)};
}

}  // namespace fuselab
