// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/movement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/codegen/emit/generated_ops.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/extents/strides.h"
#include "core/graph/node_axes.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

std::int64_t product(const Extents& extents, std::size_t first, std::size_t last) {
  return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(first), extents.begin() + static_cast<std::ptrdiff_t>(last),
                         std::int64_t{1}, std::multiplies<>());
}

void merge(BlockCopy& copy) {
  std::vector<CopyAxis> merged;
  for (const CopyAxis& axis : copy.axes) {
    if (axis.extent == 1) continue;
    const bool follows =
        !merged.empty() && merged.back().from == axis.from * axis.extent && merged.back().to == axis.to * axis.extent;
    if (follows) {
      merged.back() = {merged.back().extent * axis.extent, axis.from, axis.to};
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back({1, 1, 1});
  copy.axes = std::move(merged);
}

struct Ends {
  const Graph& graph;
  const Node& node;
  Extents in(std::size_t i) const { return extents_of(graph.type(node.inputs[i]).shape); }
  Extents out(std::size_t i) const { return extents_of(graph.type(node.outputs[i]).shape); }
};

BlockCopy transpose(const Ends& ends) {
  const Extents in = ends.in(0);
  const Extents out = ends.out(0);
  const Extents order = permutation_of(ends.graph, ends.node);
  const Extents from = strides_of(in);
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[static_cast<std::size_t>(order[i])], to[i]});
  return copy;
}

BlockCopy expand(const Ends& ends) {
  const Extents out = ends.out(0);
  const Extents from = broadcast_strides(ends.in(0), out.size());
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[i], to[i]});
  return copy;
}

BlockCopy slice(const Ends& ends) {
  const Extents out = ends.out(0);
  Extents from = strides_of(ends.in(0));
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (const SlicedAxis& each : sliced_axes(ends.graph, ends.node)) {
    copy.from_offset += each.start * from[each.axis];
    from[each.axis] *= each.step;
  }
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[i], to[i]});
  return copy;
}

// Concat's inputs and Split's outputs alike: parts of the whole along one axis.
std::vector<BlockCopy> parts(const Ends& ends, bool joins) {
  const Extents all = joins ? ends.out(0) : ends.in(0);
  const std::size_t axis = axis_from_front(ends.node.attributes.integer("axis", 0), all.size());
  const std::int64_t inner = product(all, axis + 1, all.size());
  const std::int64_t outer = product(all, 0, axis);
  std::vector<BlockCopy> copies;
  std::int64_t offset = 0;
  const std::size_t count = joins ? ends.node.inputs.size() : ends.node.outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t run = (joins ? ends.in(i) : ends.out(i))[axis] * inner;
    BlockCopy copy;
    copy.input = joins ? static_cast<int>(i) : 0;
    copy.output = joins ? 0 : static_cast<int>(i);
    (joins ? copy.to_offset : copy.from_offset) = offset;
    const std::int64_t pitch = all[axis] * inner;
    copy.axes = {{outer, joins ? run : pitch, joins ? pitch : run}, {run, 1, 1}};
    offset += run;
    if (run > 0) copies.push_back(std::move(copy));
  }
  return copies;
}

bool is_empty(const BlockCopy& copy) {
  return std::any_of(copy.axes.begin(), copy.axes.end(), [](const CopyAxis& axis) { return axis.extent == 0; });
}

// The operand within a frame of zeros, whose sides are blocks of their own: those of an axis lie between those of the axes before
// it.
Result<std::vector<BlockCopy>> padded(const Ends& ends) {
  const Extents in = ends.in(0);
  const Extents out = ends.out(0);
  const Extents pads = ends.node.attributes.integers("pads");
  const double value = ends.node.attributes.real("value", 0);
  const bool zeros = ends.node.attributes.text("mode", "constant") == "constant" && value == 0 && !std::signbit(value);
  if (!zeros || std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad < 0; }))
    return unsupported(ends.node, "pads with something else than zeros");
  const Extents from = strides_of(in);
  const Extents to = strides_of(out);
  BlockCopy inside;
  std::vector<BlockCopy> sides;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t behind = pads[i + in.size()];
    for (const auto& [begin, extent] : {std::pair{std::int64_t{0}, pads[i]}, std::pair{pads[i] + in[i], behind}}) {
      if (extent == 0) continue;
      BlockCopy side;
      side.input = kNothing;
      side.to_offset = inside.to_offset + begin * to[i];
      for (std::size_t axis = 0; axis < in.size(); ++axis) {
        const std::int64_t along = axis < i ? in[axis] : axis == i ? extent : out[axis];
        side.axes.push_back({along, to[axis], to[axis]});
      }
      if (!is_empty(side)) sides.push_back(std::move(side));
    }
    inside.to_offset += pads[i] * to[i];
    inside.axes.push_back({in[i], from[i], to[i]});
  }
  if (!is_empty(inside)) sides.push_back(std::move(inside));
  return sides;
}

GatherCopy gather(const Ends& ends) {
  const Extents data = ends.in(0);
  const Extents indices = ends.in(1);
  const std::size_t axis = axis_from_front(ends.node.attributes.integer("axis", 0), data.size());
  return {0, 1, product(data, 0, axis), product(indices, 0, indices.size()), data[axis], product(data, axis + 1, data.size())};
}

int position(const std::vector<ValueId>& values, ValueId value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

// The value whose memory, read densely, is this one's.
ValueId behind_views(const Graph& graph, ValueId value) {
  while (const auto producer = graph.value(value).producer) {
    const Node& node = graph.node(*producer);
    if (!is_view(node.op) && node.op != Op::kIdentity) break;
    value = node.inputs[0];
  }
  return value;
}

// The operator that moves; none where views alone stand between inputs and outputs.
Result<const Node*> mover(const Graph& graph) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    if (is_view(node.op) || node.op == Op::kIdentity) continue;
    if (found != nullptr) return Error{ErrorCode::kUnsupported, "only one operator that moves data at a time"};
    found = &node;
  }
  return found;
}

// The copies of the operator's own operands and results.
Result<Movement> movement_of(const Graph& graph, const Node& node) {
  const Ends ends{graph, node};
  switch (node.op) {
    case Op::kTranspose: return Movement{{transpose(ends)}, {}};
    case Op::kExpand: return Movement{{expand(ends)}, {}};
    case Op::kSlice: return Movement{{slice(ends)}, {}};
    case Op::kConcat: return Movement{parts(ends, true), {}};
    case Op::kSplit: return Movement{parts(ends, false), {}};
    case Op::kGather: {
      const GatherCopy copy = gather(ends);
      if (copy.rows == 0) return unsupported(node, "of an axis without entries is not generated");
      return Movement{{}, {copy}};
    }
    case Op::kPad: {
      FL_TRY(std::vector<BlockCopy> copies, padded(ends));
      return Movement{std::move(copies), {}};
    }
    default: return unsupported(node, is_generated(node.op) ? "computes more than it moves" : "is not generated yet");
  }
}

Status check_output(const Graph& graph, ValueId output) {
  const TensorType& type = graph.type(output);
  if (element_count(type.shape).value() == 0) return Error{ErrorCode::kUnsupported, "an empty result"};
  if (bits_of(type.dtype) < 8) return Error{ErrorCode::kUnsupported, "packed types are not generated yet"};
  return Status();
}

// Adds the copies that fill the graph's output `output`, which lies in memory as result `result` of the operator.
void add_copies(const Graph& graph, const Node& node, const Movement& own, int result, int output, Movement& all) {
  const auto input = [&](int operand) {
    return position(graph.inputs(), behind_views(graph, node.inputs[static_cast<std::size_t>(operand)]));
  };
  for (BlockCopy copy : own.copies) {
    if (copy.output != result) continue;
    if (copy.input != kNothing) copy.input = input(copy.input);
    copy.output = output;
    merge(copy);
    all.copies.push_back(std::move(copy));
  }
  for (GatherCopy copy : own.gathers) {
    copy.data = input(0);
    copy.indices = input(1);
    all.gathers.push_back(copy);
  }
}

}  // namespace

Result<Movement> make_movement(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  FL_TRY(const Node* const node, mover(graph));
  Movement own;
  if (node != nullptr) {
    FL_TRY(own, movement_of(graph, *node));
  }
  Movement movement;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const ValueId output = graph.outputs()[i];
    FL_TRY_VOID(check_output(graph, output));
    const ValueId source = behind_views(graph, output);
    if (!graph.value(source).producer) {
      BlockCopy copy{position(graph.inputs(), source), static_cast<int>(i), 0, 0, {}};
      copy.axes = {{element_count(graph.type(output).shape).value(), 1, 1}};
      merge(copy);
      movement.copies.push_back(std::move(copy));
    } else {
      add_copies(graph, *node, own, position(node->outputs, source), static_cast<int>(i), movement);
    }
  }
  if (movement.gathers.size() + (movement.copies.empty() ? 0 : 1) > 1) {
    return Error{ErrorCode::kUnsupported, "a Gather with more than one result is not generated yet"};
  }
  return movement;
}

}  // namespace fuselab::codegen
