// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_program.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "backends/codegen/rows/row_builder.h"

namespace fuselab::codegen {
namespace {

// Returns how many trailing axes a row operator reduces; nothing for element-wise operators and views.
Result<std::optional<std::size_t>> reduced_axes(const Graph& graph, const Node& node) {
  using Found = std::optional<std::size_t>;
  if (info_of(node.op).access != AccessPattern::kReduction) return Found();
  const std::size_t rank = graph.type(node.inputs[0]).shape.size();
  const auto position = [rank](std::int64_t axis) { return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis; };
  switch (node.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax:
      if (position(node.attributes.integer("axis", -1)) + 1 != static_cast<std::int64_t>(rank)) {
        return unsupported(node, "only the last axis is generated yet");
      }
      return Found(1);
    case Op::kSoftmaxCrossEntropyLoss:
      if (rank != 2) return unsupported(node, "only scores of rank 2 are generated yet");
      return Found(1);
    case Op::kGlobalAveragePool: return Found(rank - 2);
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: return Found(rank - static_cast<std::size_t>(position(node.attributes.integer("axis", -1))));
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax: {
      std::vector<std::int64_t> axes = node.attributes.integers("axes");
      if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) != 0) return unsupported(node, "reduces nothing");
      if (axes.empty()) return Found(rank);
      for (std::int64_t& axis : axes) axis = position(axis);
      std::sort(axes.begin(), axes.end());
      for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] != static_cast<std::int64_t>(rank - axes.size() + i)) {
          return unsupported(node, "only reductions over the last axes are generated yet");
        }
      }
      return Found(axes.size());
    }
    default: return unsupported(node, "is not generated yet");
  }
}

struct Space {
  std::vector<std::int64_t> full;
  std::size_t reduced = 0;
};

// The shape that the kernel walks over: what is reduced, or else the outputs.
Result<Space> find_space(const Graph& graph, RowCore core) {
  if (core.node != nullptr) {
    for (const Node& node : graph.nodes()) {
      if (&node != core.node && info_of(node.op).access == AccessPattern::kReduction) {
        return unsupported(node, "a reduction behind " + std::string(name_of(core.node->op)) + " is not generated yet");
      }
    }
    const std::vector<std::int64_t> extents = extents_of(graph.type(core.node->outputs[0]).shape);
    return Space{extents, std::min(core.trailing, extents.size())};
  }
  std::optional<Space> space;
  for (const Node& node : graph.nodes()) {
    FL_TRY(std::optional<std::size_t> reduced, reduced_axes(graph, node));
    if (!reduced) continue;
    if (cuts_rows(graph)) return unsupported(node, "a reduction over a row that is cut into pieces is not generated yet");
    const std::vector<std::int64_t> extents = extents_of(graph.type(node.inputs[0]).shape);
    if (!space) space = Space{extents, *reduced};
    if (space->full != extents || space->reduced != *reduced) return unsupported(node, "reduces another shape than its neighbours");
  }
  if (space) return *space;
  space = Space{};
  for (const Node& node : graph.nodes()) {
    // Regrouping a computed result at the end changes nothing of how it is walked.
    const bool regroups = is_view(node.op) && graph.value(node.inputs[0]).producer && graph.consumers(node.outputs[0]).empty();
    if (regroups) continue;
    const std::vector<std::int64_t> extents = extents_of(graph.type(node.outputs[0]).shape);
    const auto elements = [](const std::vector<std::int64_t>& e) {
      return std::accumulate(e.begin(), e.end(), std::int64_t{1}, std::multiplies<>());
    };
    if (extents.size() > space->full.size() || elements(extents) > elements(space->full)) space->full = extents;
  }
  if (cuts_rows(graph)) {
    if (space->full.empty()) return Error{ErrorCode::kUnsupported, "a scalar has no row to cut"};
    space->reduced = 1;
    const Node& only = graph.nodes().front();
    if (only.op == Op::kRotaryEmbedding && space->full.size() == 3) {
      const std::int64_t heads = only.attributes.integer("num_heads", 1);
      space->full = {space->full[0], space->full[1], heads, space->full[2] / heads};
    }
  }
  return *space;
}

// Returns the innermost axis of each run of neighbouring axes of [first, last) that every tensor walks as one.
std::vector<std::size_t> merge_axes(const std::vector<std::int64_t>& full, const std::vector<std::vector<std::int64_t>>& strides,
                                    std::size_t first, std::size_t last) {
  std::vector<std::size_t> kept;  // innermost axis of each run, outermost run first
  for (std::size_t axis = first; axis < last; ++axis) {
    if (full[axis] == 1) continue;
    const bool merges = !kept.empty() && std::all_of(strides.begin(), strides.end(), [&](const auto& stride) {
      return stride[kept.back()] == stride[axis] * full[axis];
    });
    if (merges) {
      kept.back() = axis;
    } else {
      kept.push_back(axis);
    }
  }
  return kept;
}

class Collapser {
 public:
  Collapser(const Space& space, RowBuilder& builder, RowProgram& program) : space_(space), builder_(builder), program_(program) {}

  Status run(const Graph& graph) {
    collect(graph);
    const std::size_t rank = space_.full.size();
    std::vector<std::size_t> outer = merge_axes(space_.full, strides_, 0, rank - space_.reduced);
    std::vector<std::size_t> inner = merge_axes(space_.full, strides_, rank - space_.reduced, rank);
    if (inner.size() > 1) return Error{ErrorCode::kUnsupported, "an operand varies along only part of the reduced axes"};
    if (space_.reduced == 0 && !outer.empty()) {
      inner = {outer.back()};
      outer.pop_back();
    }
    set_extents(outer, inner);
    for (std::size_t i = 0; i < strides_.size(); ++i) {
      RowAccess access;
      for (std::size_t axis : outer) access.outer.push_back(strides_[i][axis]);
      access.inner = inner.empty() ? 0 : strides_[i][inner[0]];
      assign(i, std::move(access));
    }
    return Status();
  }

 private:
  void collect(const Graph& graph) {
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      if (program_.nodes[i].op != RowOp::kInput) continue;
      input_nodes_.push_back(i);
      strides_.push_back(builder_.strides_of_input(static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      program_.outputs.push_back({builder_.node_of(graph.outputs()[i]), static_cast<int>(i), {}});
      strides_.push_back(builder_.strides_of(graph.outputs()[i]));
    }
  }

  // An axis run's extent: the product of the full extents since the run before it.
  void set_extents(const std::vector<std::size_t>& outer, const std::vector<std::size_t>& inner) {
    std::vector<std::size_t> ends = outer;
    ends.insert(ends.end(), inner.begin(), inner.end());
    std::size_t begin = 0;
    std::vector<std::int64_t> extents;
    for (std::size_t end : ends) {
      extents.push_back(std::accumulate(space_.full.begin() + static_cast<std::ptrdiff_t>(begin),
                                        space_.full.begin() + static_cast<std::ptrdiff_t>(end) + 1, std::int64_t{1},
                                        std::multiplies<>()));
      begin = end + 1;
    }
    program_.cols = inner.empty() ? 1 : extents.back();
    if (!inner.empty()) extents.pop_back();
    program_.outer = std::move(extents);
  }

  void assign(std::size_t index, RowAccess access) {
    if (index < input_nodes_.size()) {
      program_.nodes[input_nodes_[index]].access = std::move(access);
    } else {
      program_.outputs[index - input_nodes_.size()].access = std::move(access);
    }
  }

  const Space& space_;
  RowBuilder& builder_;
  RowProgram& program_;
  std::vector<std::size_t> input_nodes_;
  std::vector<std::vector<std::int64_t>> strides_;
};

void set_levels(RowProgram& program) {
  for (RowNode& node : program.nodes) {
    if (node.op == RowOp::kInput) node.level = node.access.inner != 0 ? Level::kFull : Level::kRow;
    for (int arg : node.args) {
      const RowNode& operand = program.nodes[static_cast<std::size_t>(arg)];
      node.level = std::max(node.level, operand.level);
      node.phase = std::max(node.phase, operand.phase);
    }
    if (node.op == RowOp::kSum || node.op == RowOp::kLargest) {
      node.level = Level::kRow;
      node.phase += 1;
      program.has_reduction = true;
    }
    if (node.op == RowOp::kPick) node.level = Level::kRow;
    if (node.op == RowOp::kPieces) node.level = Level::kFull;
  }
}

Result<DType> compute_type(const Graph& graph) {
  DType compute = DType::kF32;
  bool half = false;
  for (const Value& value : graph.values()) {
    const DType dtype = value.type.dtype;
    if (dtype == DType::kF64) compute = DType::kF64;
    half = half || dtype == DType::kF16 || dtype == DType::kBF16;
    const bool stored = dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
    const bool whole =
        dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kBool;
    if (!stored && !whole) return Error{ErrorCode::kUnsupported, std::string(name_of(dtype)) + " tensors are not generated yet"};
  }
  if (half && compute == DType::kF64) return Error{ErrorCode::kUnsupported, "half and double precision in one kernel"};
  return compute;
}

}  // namespace

std::int64_t RowProgram::rows() const {
  return std::accumulate(outer.begin(), outer.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_gapless(const RowProgram& program, const RowAccess& access) {
  if (access.inner != 1) return false;
  std::int64_t stride = program.cols;
  for (std::size_t i = program.outer.size(); i-- > 0;) {
    if (program.outer[i] > 1 && access.outer[i] != stride) return false;
    stride *= program.outer[i];
  }
  return true;
}

bool follows_row_by_row(const RowProgram& program, const RowNode& node) {
  return node.op == RowOp::kInput && node.input >= 0 && node.level == Level::kFull && node.row_named_by < 0 &&
         node.access.inner == 1 && !program.outer.empty() && is_gapless(program, node.access);
}

int RowProgram::phases() const {
  int last = 0;
  for (const RowNode& node : nodes) last = std::max(last, node.phase);
  return last + 1;
}

Result<RowProgram> make_row_program(const Graph& graph, RowCore core) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  if (graph.nodes().empty()) return Error{ErrorCode::kUnsupported, "the graph computes nothing"};
  RowProgram program;
  FL_TRY(program.compute, compute_type(graph));
  FL_TRY(Space space, find_space(graph, core));
  RowBuilder builder(graph, space.full, space.reduced, core);
  FL_TRY_VOID(builder.build());
  for (ValueId output : graph.outputs()) {
    if (!graph.value(output).producer) return Error{ErrorCode::kUnsupported, "an output is an input passed through"};
  }
  program.nodes = builder.take_nodes();
  if (cuts_rows(graph) && graph.nodes().size() == 1 && graph.nodes().front().op != Op::kRotaryEmbedding) {
    return unsupported(graph.nodes().front(), "only moves data");
  }
  FL_TRY_VOID(Collapser(space, builder, program).run(graph));
  set_levels(program);
  for (const RowNode& node : program.nodes) {
    const bool cuts_nothing = node.op == RowOp::kShifted && node.level != Level::kFull;
    if (cuts_nothing) return Error{ErrorCode::kUnsupported, "a cut through what does not vary along the row is not generated yet"};
  }
  for (const RowOutput& output : program.outputs) {
    const bool varies_by_row = std::all_of(output.access.outer.begin(), output.access.outer.end(), [](auto s) { return s != 0; });
    const bool whole = program.has_reduction || output.access.inner != 0 || program.cols == 1;
    const std::int64_t elements = element_count(graph.type(graph.outputs()[static_cast<std::size_t>(output.output)]).shape).value();
    const bool complete = output.access.inner == 0 || elements == program.rows() * program.cols;
    if (!varies_by_row || !whole || !complete)
      return Error{ErrorCode::kUnsupported, "outputs of different shapes do not fit one kernel"};
  }
  return program;
}

}  // namespace fuselab::codegen
