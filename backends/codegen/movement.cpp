// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/movement.h"

#include <algorithm>
#include <numeric>

#include "backends/codegen/row_builder.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

std::int64_t product(const Extents& extents, std::size_t first, std::size_t last) {
  return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(first), extents.begin() + static_cast<std::ptrdiff_t>(last),
                         std::int64_t{1}, std::multiplies<>());
}

// Element strides, also of axes of extent one.
Extents strides_of(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  return strides;
}

std::size_t axis_of(const Node& node, std::int64_t axis, std::size_t rank) {
  static_cast<void>(node);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
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

BlockCopy whole(const Ends& ends) {
  BlockCopy copy;
  copy.axes = {{product(ends.out(0), 0, ends.out(0).size()), 1, 1}};
  return copy;
}

BlockCopy transpose(const Ends& ends) {
  const Extents in = ends.in(0);
  const Extents out = ends.out(0);
  Extents order = ends.node.attributes.integers("perm");
  if (order.empty()) {
    for (std::size_t i = in.size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
  }
  const Extents from = strides_of(in);
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[static_cast<std::size_t>(order[i])], to[i]});
  return copy;
}

BlockCopy expand(const Ends& ends) {
  const Extents out = ends.out(0);
  const Extents from = dense_strides(ends.in(0), out.size(), 0);
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[i], to[i]});
  return copy;
}

BlockCopy slice(const Ends& ends) {
  const Extents in = ends.in(0);
  const Extents out = ends.out(0);
  const Extents starts = ends.node.attributes.integers("starts");
  Extents axes = ends.node.attributes.integers("axes");
  const Extents steps = ends.node.attributes.integers("steps", Extents(starts.size(), 1));
  if (axes.empty()) {
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  Extents from = strides_of(in);
  const Extents to = strides_of(out);
  BlockCopy copy;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(ends.node, axes[i], in.size());
    const std::int64_t extent = in[axis];
    // ONNX: negative counts from the end, then clamped; a backward walk may start at the last element.
    std::int64_t start = starts[i] < 0 ? starts[i] + extent : starts[i];
    start = steps[i] > 0 ? std::clamp<std::int64_t>(start, 0, extent) : std::clamp<std::int64_t>(start, 0, extent - 1);
    copy.from_offset += start * from[axis];
    from[axis] *= steps[i];
  }
  for (std::size_t i = 0; i < out.size(); ++i) copy.axes.push_back({out[i], from[i], to[i]});
  return copy;
}

// Concat's inputs and Split's outputs alike: parts of the whole along one axis.
std::vector<BlockCopy> parts(const Ends& ends, bool joins) {
  const Extents all = joins ? ends.out(0) : ends.in(0);
  const std::size_t axis = axis_of(ends.node, ends.node.attributes.integer("axis", 0), all.size());
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

GatherCopy gather(const Ends& ends) {
  const Extents data = ends.in(0);
  const Extents indices = ends.in(1);
  const std::size_t axis = axis_of(ends.node, ends.node.attributes.integer("axis", 0), data.size());
  return {0, 1, product(data, 0, axis), product(indices, 0, indices.size()), data[axis], product(data, axis + 1, data.size())};
}

int position(const std::vector<ValueId>& values, ValueId value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

}  // namespace

Result<Movement> make_movement(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  if (graph.nodes().size() != 1) return Error{ErrorCode::kUnsupported, "only one operator that moves data at a time"};
  const Node& node = graph.nodes().front();
  const Ends ends{graph, node};
  for (ValueId output : node.outputs) {
    const std::int64_t elements = product(extents_of(graph.type(output).shape), 0, graph.type(output).shape.size());
    if (elements == 0) return unsupported(node, "an empty result");
    if (bits_of(graph.type(output).dtype) < 8) return unsupported(node, "packed types are not generated yet");
    if (!graph.is_output(output)) return unsupported(node, "a result that nobody reads");
  }
  Movement movement;
  switch (node.op) {
    case Op::kIdentity:
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kUnsqueeze:
    case Op::kSqueeze: movement.copies = {whole(ends)}; break;
    case Op::kTranspose: movement.copies = {transpose(ends)}; break;
    case Op::kExpand: movement.copies = {expand(ends)}; break;
    case Op::kSlice: movement.copies = {slice(ends)}; break;
    case Op::kConcat: movement.copies = parts(ends, true); break;
    case Op::kSplit: movement.copies = parts(ends, false); break;
    case Op::kGather: movement.gathers = {gather(ends)}; break;
    default: return unsupported(node, "computes more than it moves");
  }
  for (BlockCopy& copy : movement.copies) {
    copy.input = position(graph.inputs(), node.inputs[static_cast<std::size_t>(copy.input)]);
    copy.output = position(graph.outputs(), node.outputs[static_cast<std::size_t>(copy.output)]);
    merge(copy);
  }
  for (GatherCopy& copy : movement.gathers) {
    copy.data = position(graph.inputs(), node.inputs[0]);
    copy.indices = position(graph.inputs(), node.inputs[1]);
  }
  return movement;
}

}  // namespace fuselab::codegen
