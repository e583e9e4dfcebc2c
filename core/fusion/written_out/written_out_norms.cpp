// SPDX-License-Identifier: Apache-2.0
// RMSNormalization and LayerNormalization over several of the last axes. Over the last alone their operators are grown into one
// kernel as they stand (pattern_rows.cpp).
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"

namespace fuselab {
namespace {

// The first axis of those that a mean is taken along and keeps, where they are all from it to the last one.
std::optional<std::int64_t> first_of_last_axes(const GraphIndex& index, NodeId mean) {
  const Node& node = index.node(mean);
  if (node.op != Op::kReduceMean || node.attributes.integer("keepdims", 1) == 0) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(index.type(node.inputs.front()).shape.size());
  auto axes = node.attributes.integers("axes");
  if (axes.empty()) {
    if (node.attributes.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
    axes.resize(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
  for (const std::int64_t axis : axes) reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  std::int64_t first = rank;
  while (first > 0 && reduced[static_cast<std::size_t>(first - 1)]) --first;
  const bool gaps = std::find(reduced.begin(), reduced.begin() + first, true) != reduced.begin() + first;
  return gaps || rank - first < 2 ? std::nullopt : std::optional(first);
}

// Holds what was read on the way to the normalised numbers.
struct Normalised {
  ValueId input{}, result{};
  double epsilon = 0;
  bool centred = false;
  std::vector<NodeId> nodes;
};

std::optional<Normalised> normalised_by(const GraphIndex& index, NodeId mean, std::int64_t first) {
  const auto square = index.maker(index.node(mean).inputs.front());
  const auto numerator = square ? squared_by(index, *square) : std::nullopt;
  if (!numerator) return std::nullopt;
  Normalised found;
  found.input = *numerator;
  found.nodes = {*square, mean};
  if (const auto difference = made_by(index, *numerator, Op::kSub)) {
    const auto& operands = index.node(*difference).inputs;
    const auto average = made_by(index, operands[1], Op::kReduceMean);
    if (average && first_of_last_axes(index, *average) == first && index.node(*average).inputs.front() == operands[0]) {
      found.input = operands[0];
      found.centred = true;
      found.nodes.insert(found.nodes.end(), {*difference, *average});
    }
  }
  NodeId variance = mean;
  if (const auto shifted = only_read_by(index, output_of(index, mean), Op::kAdd)) {
    const auto added = other_operand(index, *shifted, output_of(index, mean));
    const auto epsilon = added ? written_constant(index, *added) : std::nullopt;
    if (!epsilon) return std::nullopt;
    found.epsilon = *epsilon;
    found.nodes.push_back(variance = *shifted);
  }
  const auto quotient = find_quotient_by_root(index, variance, *numerator, found.nodes);
  if (!quotient) return std::nullopt;
  found.nodes.push_back(*quotient);
  found.result = output_of(index, *quotient);
  return found;
}

}  // namespace

std::vector<WrittenOut> find_written_out_norm(const GraphIndex& index, NodeId mean) {
  const auto first = first_of_last_axes(index, mean);
  if (!first) return {};
  const auto found = normalised_by(index, mean, *first);
  if (!found) return {};
  // Both operators have a scale.
  const auto scaled = only_read_by(index, found->result, Op::kMul);
  if (!scaled) return {};
  const auto scale = other_operand(index, *scaled, found->result);
  if (!scale) return {};
  WrittenOut whole;
  whole.op = found->centred ? Op::kLayerNormalization : Op::kRMSNormalization;
  whole.inputs = {found->input, *scale};
  whole.attributes = {{"axis", *first}, {"epsilon", found->epsilon}};
  whole.result = output_of(index, *scaled);
  whole.nodes = found->nodes;
  whole.nodes.push_back(*scaled);
  if (!found->centred) return {whole};
  const auto shifted = only_read_by(index, whole.result, Op::kAdd);
  const auto bias = shifted ? other_operand(index, *shifted, whole.result) : std::nullopt;
  if (!bias) return {whole};
  WrittenOut with_bias = whole;
  with_bias.inputs.push_back(*bias);
  with_bias.result = output_of(index, *shifted);
  with_bias.nodes.push_back(*shifted);
  return {std::move(with_bias), std::move(whole)};
}

}  // namespace fuselab
