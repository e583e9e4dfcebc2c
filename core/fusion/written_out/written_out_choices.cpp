// SPDX-License-Identifier: Apache-2.0
// Numbers chosen by a comparison with themselves: ONNX defines Clip and LeakyRelu so, and no kernel compares beside other
// operators.
#include <utility>

#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"

namespace fuselab {
namespace {

// Describes Where(low < high, if_less, otherwise), or the same with ≤: where both are equal either choice is the same number. A
// comparison with NaN does not hold.
struct Choice {
  ValueId low{}, high{};
  ValueId if_less{}, otherwise{};
  std::vector<NodeId> nodes;
};

std::optional<Choice> choice_by(const GraphIndex& index, NodeId where) {
  const Node& node = index.node(where);
  const auto maker = node.op == Op::kWhere ? index.maker(node.inputs[0]) : std::nullopt;
  if (!maker) return std::nullopt;
  const Node& order = index.node(*maker);
  Choice choice{order.inputs.front(), order.inputs.back(), node.inputs[1], node.inputs[2], {*maker, where}};
  switch (order.op) {
    case Op::kLess:
    case Op::kLessOrEqual: return choice;
    case Op::kGreater:
    case Op::kGreaterOrEqual: std::swap(choice.low, choice.high); return choice;
    default: return std::nullopt;
  }
}

// alpha · x, alpha being a constant.
std::optional<double> slope_of(const GraphIndex& index, ValueId product, ValueId x, std::vector<NodeId>& nodes) {
  const auto maker = made_by(index, product, Op::kMul);
  if (!maker) return std::nullopt;
  const auto factor = other_operand(index, *maker, x);
  const auto slope = factor ? written_constant(index, *factor) : std::nullopt;
  if (slope) nodes.push_back(*maker);
  return slope;
}

// x below zero times alpha, else x.
std::optional<WrittenOut> leaky_relu(const GraphIndex& index, Choice choice) {
  const bool below = index.constant(choice.high) == 0.0;
  if (!below && index.constant(choice.low) != 0.0) return std::nullopt;
  const ValueId x = below ? choice.low : choice.high;
  const ValueId kept = below ? choice.otherwise : choice.if_less;
  const ValueId bent = below ? choice.if_less : choice.otherwise;
  if (kept != x) return std::nullopt;
  const auto alpha = slope_of(index, bent, x, choice.nodes);
  if (!alpha) return std::nullopt;
  return WrittenOut{Op::kLeakyRelu, {x}, {{"alpha", *alpha}}, output_of(index, choice.nodes[1]), std::move(choice.nodes)};
}

// x where it is within a bound, else the bound. A NaN in x stays, as in Clip, because no comparison with it holds.
std::optional<WrittenOut> bounded(const GraphIndex& index, Choice choice) {
  const bool from_below = choice.otherwise == choice.low && choice.if_less == choice.high;
  const bool from_above = choice.otherwise == choice.high && choice.if_less == choice.low;
  const ValueId x = choice.otherwise, bound = choice.if_less;
  if ((!from_below && !from_above) || x == bound || index.is_constant(x)) return std::nullopt;
  const ValueId result = output_of(index, choice.nodes[1]);
  if (const auto number = written_constant(index, bound)) {
    const Attributes attributes{{from_below ? "min" : "max", *number}};
    return WrittenOut{Op::kClip, {x}, attributes, result, std::move(choice.nodes)};
  }
  // In ONNX's Clip a bound that is computed is one number; it is read as these two.
  if (!index.type(bound).shape.empty() || index.is_constant(bound)) return std::nullopt;
  return WrittenOut{from_below ? Op::kMax : Op::kMin, {x, bound}, {}, result, std::move(choice.nodes)};
}

}  // namespace

std::vector<WrittenOut> find_written_out_choice(const GraphIndex& index, NodeId where) {
  const auto choice = choice_by(index, where);
  if (!choice) return {};
  if (auto bent = leaky_relu(index, *choice)) return {*std::move(bent)};
  if (auto clipped = bounded(index, *choice)) return {*std::move(clipped)};
  return {};
}

}  // namespace fuselab
