// SPDX-License-Identifier: Apache-2.0
// Comparisons and softmaxes.
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/as_written.h"
#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"

namespace fuselab {
namespace {

// exp(x − max(x)) and its sum, along one axis.
struct Powers {
  ValueId input{};
  std::int64_t axis = 0;
  ValueId shifted{}, terms{};
  std::vector<NodeId> nodes;
};

// The one axis that a reduction works along and keeps.
std::optional<std::int64_t> kept_axis(const GraphIndex& index, NodeId reduce) {
  const Attributes& attributes = index.node(reduce).attributes;
  const auto axes = attributes.integers("axes");
  if (axes.size() != 1 || attributes.integer("keepdims", 1) == 0) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(index.type(index.node(reduce).inputs.front()).shape.size());
  return axes.front() < 0 ? axes.front() + rank : axes.front();
}

std::optional<Powers> powers_of(const GraphIndex& index, NodeId sum) {
  if (index.node(sum).op != Op::kReduceSum) return std::nullopt;
  const auto axis = kept_axis(index, sum);
  const ValueId terms = index.node(sum).inputs.front();
  const auto exponential = made_by(index, terms, Op::kExp);
  if (!axis || !exponential) return std::nullopt;
  const ValueId shifted = index.node(*exponential).inputs.front();
  const auto difference = made_by(index, shifted, Op::kSub);
  if (!difference) return std::nullopt;
  const ValueId input = index.node(*difference).inputs[0];
  const auto largest = made_by(index, index.node(*difference).inputs[1], Op::kReduceMax);
  // Without the largest element large powers overflow: that is another function.
  if (!largest || index.node(*largest).inputs.front() != input || kept_axis(index, *largest) != axis) return std::nullopt;
  return Powers{input, *axis, shifted, terms, {*largest, *difference, *exponential, sum}};
}

}  // namespace

std::int64_t axis_of(const GraphIndex& index, NodeId id, std::int64_t otherwise) {
  const Node& node = index.node(id);
  const std::int64_t axis = node.attributes.integer("axis", otherwise);
  return axis < 0 ? axis + static_cast<std::int64_t>(index.type(node.inputs.front()).shape.size()) : axis;
}

bool has_only_axis(const GraphIndex& index, NodeId id, std::int64_t axis, std::size_t rank) {
  const auto axes = index.node(id).attributes.integers("axes");
  return axes.size() == 1 && (axes.front() == axis || axes.front() == axis - static_cast<std::int64_t>(rank));
}

std::optional<double> written_constant(const GraphIndex& index, ValueId value) {
  const auto number = index.constant(value);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  const DType dtype = index.type(value).dtype;
  if (!is_floating(dtype)) return std::fabs(*number) < 0x1p53 ? number : std::nullopt;
  const bool held_by_float = dtype != DType::kF64 && std::fabs(*number) <= std::numeric_limits<float>::max();
  if (!held_by_float) return number;
  const auto narrow = static_cast<float>(*number);
  return static_cast<double>(narrow) == *number ? as_written(narrow) : *number;
}

std::optional<NodeId> only_read_by(const GraphIndex& index, ValueId value, Op op) {
  const auto reader = index.sole_reader(value);
  return reader && index.node(*reader).op == op ? reader : std::nullopt;
}

std::vector<WrittenOut> find_written_out_comparison(const GraphIndex& index, NodeId either) {
  if (index.node(either).op != Op::kOr) return {};
  const auto& terms = index.node(either).inputs;
  for (const auto& [strict, same] : {std::pair(terms[0], terms[1]), std::pair(terms[1], terms[0])}) {
    const auto equal = made_by(index, same, Op::kEqual);
    auto order = made_by(index, strict, Op::kGreater);
    const Op op = order ? Op::kGreaterOrEqual : Op::kLessOrEqual;
    if (!order) order = made_by(index, strict, Op::kLess);
    if (!equal || !order) continue;
    const auto& operands = index.node(*order).inputs;
    auto compared = index.node(*equal).inputs;
    if (compared[0] != operands[0]) std::swap(compared[0], compared[1]);
    if (compared != operands) continue;
    return {{op, operands, {}, output_of(index, either), {*order, *equal, either}}};
  }
  return {};
}

std::vector<WrittenOut> find_written_out_softmax(const GraphIndex& index, NodeId sum) {
  const auto powers = powers_of(index, sum);
  if (!powers || powers->axis + 1 == static_cast<std::int64_t>(index.type(powers->input).shape.size())) return {};
  std::vector<NodeId> nodes = powers->nodes;
  const Attributes axis{{"axis", powers->axis}};
  const auto reader = index.sole_reader(output_of(index, sum));
  if (!reader) return {};
  const Node& next = index.node(*reader);
  nodes.push_back(*reader);
  if (next.op == Op::kDiv && next.inputs[0] == powers->terms)
    return {{Op::kSoftmax, {powers->input}, axis, output_of(index, *reader), std::move(nodes)}};
  if (next.op != Op::kLog) return {};
  const auto difference = only_read_by(index, output_of(index, *reader), Op::kSub);
  if (!difference || index.node(*difference).inputs[0] != powers->shifted) return {};
  nodes.push_back(*difference);
  return {{Op::kLogSoftmax, {powers->input}, axis, output_of(index, *difference), std::move(nodes)}};
}

std::optional<LogSoftmax> log_softmax_that_makes(const GraphIndex& index, ValueId value) {
  if (const auto whole = made_by(index, value, Op::kLogSoftmax))
    return LogSoftmax{index.node(*whole).inputs.front(), axis_of(index, *whole, -1), {*whole}};
  const auto difference = made_by(index, value, Op::kSub);
  const auto log = difference ? made_by(index, index.node(*difference).inputs[1], Op::kLog) : std::nullopt;
  const auto sum = log ? index.maker(index.node(*log).inputs.front()) : std::nullopt;
  const auto powers = sum ? powers_of(index, *sum) : std::nullopt;
  if (!powers || index.node(*difference).inputs[0] != powers->shifted) return std::nullopt;
  LogSoftmax found{powers->input, powers->axis, powers->nodes};
  found.nodes.insert(found.nodes.end(), {*log, *difference});
  return found;
}

}  // namespace fuselab
