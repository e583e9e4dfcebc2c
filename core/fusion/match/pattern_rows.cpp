// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/fusion/match/forms.h"
#include "core/fusion/match/patterns.h"

namespace fuselab {
namespace {

bool keeps_dims(const GraphIndex& index, NodeId reduce) {
  return index.node(reduce).attributes.integer("keepdims", 1) != 0;
}

bool reduces_rows(const GraphIndex& index, NodeId id, Op op) {
  return index.node(id).op == op && keeps_dims(index, id) && works_on_last_axis(index, id);
}

// The variance as the mean of squares less the square of the mean, as ONNX itself defines LayerNormalization.
struct Spread {
  NodeId variance, difference;  // what it is subtracted in, and x − mean
  std::vector<NodeId> nodes;
};

std::optional<Spread> find_spread(const GraphIndex& index, NodeId mean_of_squares, ValueId x) {
  const auto variance = read_by(index, mean_of_squares, Op::kSub);
  if (!variance || index.node(*variance).inputs[0] != output_of(index, mean_of_squares)) return std::nullopt;
  const auto square = index.maker(index.node(*variance).inputs[1]);
  const auto average = square ? squared_by(index, *square) : std::nullopt;
  const auto mean = average ? made_by(index, *average, Op::kReduceMean) : std::nullopt;
  if (!mean || !reduces_rows(index, *mean, Op::kReduceMean) || index.node(*mean).inputs.front() != x) return std::nullopt;
  // The mean's first readers are enough: a norm has two, and where all nodes share a mean each of them would look at all.
  constexpr std::size_t kMostReaders = 64;
  const auto readers = index.readers(*average);
  for (NodeId reader : readers.first(std::min(readers.size(), kMostReaders))) {
    const Node& node = index.node(reader);
    const bool subtracts = node.op == Op::kSub && node.inputs[0] == x && node.inputs[1] == *average;
    if (subtracts) return Spread{*variance, reader, {*variance, *square, *mean, reader}};
  }
  return std::nullopt;
}

// The node that applies `op` with a vector that is the same for all rows, as gamma and beta are.
std::optional<NodeId> find_per_column(const GraphIndex& index, NodeId id, Op op, const Shape& space) {
  const auto reader = index.sole_reader(output_of(index, id));
  if (!reader || index.node(*reader).op != op) return std::nullopt;
  const auto other = other_operand(index, *reader, output_of(index, id));
  if (!other || index.out_type(*reader).shape != space) return std::nullopt;
  const Shape& shape = index.type(*other).shape;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    if (shape[i] != Dim(1)) return std::nullopt;
  }
  return reader;
}

}  // namespace

std::optional<ValueId> squared_by(const GraphIndex& index, NodeId square) {
  const Node& node = index.node(square);
  if (node.op == Op::kMul && node.inputs[0] == node.inputs[1]) return node.inputs[0];
  if (node.op == Op::kPow && index.constant(node.inputs[1]) == 2.0) return node.inputs[0];
  return std::nullopt;
}

std::optional<NodeId> find_quotient_by_root(const GraphIndex& index, NodeId variance, ValueId centred, std::vector<NodeId>& nodes) {
  if (const auto power = read_by(index, variance, Op::kPow); power && index.constant(index.node(*power).inputs[1]) == -0.5) {
    nodes.push_back(*power);
    const auto product = read_by(index, *power, Op::kMul);
    return product && other_operand(index, *product, output_of(index, *power)) == centred ? product : std::nullopt;
  }
  const auto root = read_by(index, variance, Op::kSqrt);
  if (!root) return std::nullopt;
  nodes.push_back(*root);
  const ValueId deviation = output_of(index, *root);
  for (NodeId reader : index.readers(deviation)) {
    const Node& node = index.node(reader);
    const bool divides = node.op == Op::kDiv && node.inputs[1] == deviation;
    if (divides && node.inputs[0] == centred) return reader;
    const bool inverts = node.op == Op::kReciprocal || (divides && index.constant(node.inputs[0]) == 1.0);
    if (!inverts) continue;
    const auto product = read_by(index, reader, Op::kMul);
    if (!product || other_operand(index, *product, output_of(index, reader)) != centred) continue;
    nodes.push_back(reader);
    return product;
  }
  return std::nullopt;
}

std::optional<PatternMatch> find_norm(const GraphIndex& index, NodeId mean) {
  if (!reduces_rows(index, mean, Op::kReduceMean)) return std::nullopt;
  const auto square = index.maker(index.node(mean).inputs.front());
  const auto centred = square ? squared_by(index, *square) : std::nullopt;
  if (!centred) return std::nullopt;
  std::vector<NodeId> nodes{*square, mean};
  bool subtracts = false;
  if (const auto difference = made_by(index, *centred, Op::kSub)) {
    const auto& operands = index.node(*difference).inputs;
    const auto average = made_by(index, operands[1], Op::kReduceMean);
    if (average && reduces_rows(index, *average, Op::kReduceMean) && index.node(*average).inputs.front() == operands[0]) {
      nodes.insert(nodes.end(), {*difference, *average});
      subtracts = true;
    }
  }
  NodeId variance = mean;
  ValueId numerator = *centred;
  if (const auto spread = find_spread(index, mean, *centred)) {
    nodes.insert(nodes.end(), spread->nodes.begin(), spread->nodes.end());
    variance = spread->variance;
    numerator = output_of(index, spread->difference);
    subtracts = true;
  }
  if (const auto shifted = read_by(index, variance, Op::kAdd)) {
    const auto epsilon = other_operand(index, *shifted, output_of(index, variance));
    if (!epsilon || !index.is_constant(*epsilon)) return std::nullopt;
    nodes.push_back(variance = *shifted);
  }
  const auto quotient = find_quotient_by_root(index, variance, numerator, nodes);
  const Shape& space = index.type(*centred).shape;
  if (!quotient || index.out_type(*quotient).shape != space) return std::nullopt;
  nodes.push_back(*quotient);
  NodeId last = *quotient;
  if (const auto gamma = find_per_column(index, last, Op::kMul, space)) nodes.push_back(last = *gamma);
  if (subtracts) {
    if (const auto beta = find_per_column(index, last, Op::kAdd, space)) nodes.push_back(*beta);
  }
  return PatternMatch{FusionPatternType::kNormalization, Form::kRows, space, std::nullopt, node_set(std::move(nodes))};
}

std::optional<PatternMatch> find_softmax(const GraphIndex& index, NodeId sum) {
  if (!reduces_rows(index, sum, Op::kReduceSum)) return std::nullopt;
  const ValueId terms = index.node(sum).inputs.front();
  const auto exponential = made_by(index, terms, Op::kExp);
  if (!exponential) return std::nullopt;
  const ValueId exponent = index.node(*exponential).inputs.front();
  std::vector<NodeId> nodes{*exponential, sum};
  const auto quotient = read_by(index, sum, Op::kDiv);
  if (quotient && index.node(*quotient).inputs[0] == terms) {
    nodes.push_back(*quotient);
  } else if (const auto log = read_by(index, sum, Op::kLog)) {
    const auto difference = read_by(index, *log, Op::kSub);
    if (!difference || index.node(*difference).inputs != std::vector{exponent, output_of(index, *log)}) return std::nullopt;
    nodes.insert(nodes.end(), {*log, *difference});
  } else {
    return std::nullopt;
  }
  if (const auto shifted = made_by(index, exponent, Op::kSub)) {
    const auto& operands = index.node(*shifted).inputs;
    const auto largest = made_by(index, operands[1], Op::kReduceMax);
    if (largest && reduces_rows(index, *largest, Op::kReduceMax) && index.node(*largest).inputs.front() == operands[0]) {
      nodes.insert(nodes.end(), {*shifted, *largest});
    }
  }
  return PatternMatch{FusionPatternType::kSoftmax, Form::kRows, index.type(terms).shape, std::nullopt, node_set(std::move(nodes))};
}

}  // namespace fuselab
