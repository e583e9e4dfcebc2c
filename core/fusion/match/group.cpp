// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/group.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/fusion/match/describe.h"

namespace fuselab {
namespace {

Group alone(const Shape& space, std::string because) {
  Group group;
  group.space = space;
  group.alone_because.reason = std::move(because);
  return group;
}

Group of_form(Form form, const Shape& space) {
  Group group;
  group.form = form;
  group.space = space;
  return group;
}

// Axes counted from the front, ascending; what is written nowhere means the operator's default.
std::vector<std::int64_t> normalized_axes(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  const auto rank = static_cast<std::int64_t>(index.type(node.inputs.front()).shape.size());
  std::vector<std::int64_t> axes;
  switch (node.op) {
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax: axes = node.attributes.integers("axes"); break;
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: {
      std::int64_t first = node.attributes.integer("axis", -1);
      if (first < 0) first += rank;
      for (; first < rank; ++first) axes.push_back(first);
      break;
    }
    default: axes = {node.attributes.integer("axis", -1)};
  }
  if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) {
    for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  for (auto& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  return axes;
}

Group of_row_operator(const GraphIndex& index, NodeId id) {
  const Shape& space = index.type(index.node(id).inputs.front()).shape;
  if (works_on_last_axis(index, id)) return of_form(Form::kRows, space);
  std::string text;
  for (auto axis : normalized_axes(index, id)) text += (text.empty() ? "" : ",") + std::to_string(axis);
  return alone(space, std::string(name_of(index.node(id).op)) + " works along axes [" + text + "] of " + shape_text(space) +
                          ": only work along exactly the last axis shares a kernel with its neighbours");
}

Group of_loss(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  const Shape& space = index.type(node.inputs.front()).shape;
  if (space.size() == 2 && node.attributes.text("reduction", "mean") == "none") return of_form(Form::kRows, space);
  return alone(space, "SoftmaxCrossEntropyLoss also reduces across rows");
}

Group of_contraction(const GraphIndex& index, NodeId id, Form form) {
  Group group = of_form(form, index.out_type(id).shape);
  group.anchor = id;
  return group;
}

}  // namespace

bool is_row_scalar(const Shape& shape, const Shape& space) {
  if (space.empty() || shape.empty()) return shape.empty() && space.size() == 1;
  const auto rows_end = space.end() - 1;
  if (shape.size() + 1 == space.size()) return std::equal(shape.begin(), shape.end(), space.begin(), rows_end);
  return shape.size() == space.size() && shape.back() == Dim(1) &&
         std::equal(shape.begin(), shape.end() - 1, space.begin(), rows_end);
}

bool works_on_last_axis(const GraphIndex& index, NodeId id) {
  const auto rank = static_cast<std::int64_t>(index.type(index.node(id).inputs.front()).shape.size());
  const auto axes = normalized_axes(index, id);
  return axes.size() == 1 && axes.front() == rank - 1;
}

bool shares_no_kernel(Op op) {
  switch (op) {
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kAsinh:
    case Op::kAcosh:
    case Op::kAtanh:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kSign:
    case Op::kIsNaN:
    case Op::kIsInf:
    case Op::kShrink:
    case Op::kThresholdedRelu:
    case Op::kMod:
    case Op::kReduceProd:
    case Op::kArgMax:
    case Op::kArgMin:
    case Op::kCumSum:
    case Op::kHardmax:
    case Op::kTopK:
    case Op::kNegativeLogLikelihoodLoss:
    case Op::kTrilu:
    case Op::kPad:
    case Op::kGatherElements:
    case Op::kGatherND:
    case Op::kScatterElements:
    case Op::kScatterND:
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN: return true;
    default: return is_comparison(op) || is_logic(op);
  }
}

namespace {

Group group_of_operator(const GraphIndex& index, const FusionOptions& options, NodeId id) {
  const Node& node = index.node(id);
  const Shape& space = index.out_type(id).shape;
  const std::string op(name_of(node.op));
  if (auto refused = written_alone(options, node.op)) {
    Group group = alone(space, {});
    group.alone_because = *std::move(refused);
    return group;
  }
  switch (node.op) {
    case Op::kOpaque: return of_form(Form::kOpaque, space);
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kSoftmax:
    case Op::kLogSoftmax:
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: return of_row_operator(index, id);
    case Op::kSoftmaxCrossEntropyLoss: return of_loss(index, id);
    case Op::kMatMul:
    case Op::kGemm: return of_contraction(index, id, Form::kMatrix);
    case Op::kConv: return of_contraction(index, id, Form::kConvolution);
    case Op::kAttention: return of_contraction(index, id, Form::kAttention);
    case Op::kBatchNormalization: return of_form(Form::kElementWise, space);  // at inference: one scale and shift per channel
    case Op::kRotaryEmbedding: return of_form(Form::kRotary, space);
    case Op::kMaxPool:
    case Op::kAveragePool:
    case Op::kGlobalAveragePool: return alone(space, op + " reads windows of its input, each element several times");
    case Op::kGather: return alone(space, "Gather reads scattered positions");
    case Op::kTranspose:
    case Op::kExpand:
    case Op::kConcat:
    case Op::kSlice:
    case Op::kSplit: return alone(space, op + " moves elements between positions: movement is a piece of its own");
    default: break;
  }
  if (is_view(node.op) && node.op != Op::kIdentity) {
    Group view = of_form(Form::kView, space);
    view.operators = 0;
    return view;
  }
  if (node.inputs.size() > kMostRead) return alone(space, op + " reads more than " + std::to_string(kMostRead) + " values");
  Group group = of_form(Form::kElementWise, space);
  if (is_view(node.op)) group.operators = 0;
  return group;
}

}  // namespace

std::string forbidden_by_branches(const GraphIndex& index, NodeId a, NodeId b) {
  if (index.node(a).annotation.branch == index.node(b).annotation.branch) return {};
  return "one of them belongs to a branch of an If, whose condition is computed: a branch is cut apart from what is around it";
}

std::string forbidden_by_annotation(const GraphIndex& index, NodeId id) {
  const FusionAnnotation& annotation = index.node(id).annotation;
  if (annotation.kind != FusionAnnotation::Kind::kNoFusion) return {};
  return "'" + node_name(index, id) + "' is annotated NoFusion: " + annotation.reason;
}

Group group_of_node(const GraphIndex& index, const FusionOptions& options, NodeId id) {
  std::string forbidden = forbidden_by_annotation(index, id);
  if (!forbidden.empty() && index.node(id).op != Op::kOpaque) return alone(index.out_type(id).shape, std::move(forbidden));
  Group group = group_of_operator(index, options, id);
  group.most_operators = index.node(id).annotation.max_operations;
  return group;
}

namespace {

// Returns how many nodes are in both sets. It takes the time of the smaller one, since a value may have a whole model's readers.
std::size_t common(std::span<const NodeId> a, std::span<const NodeId> b) {
  const auto &few = a.size() < b.size() ? a : b, &many = a.size() < b.size() ? b : a;
  return static_cast<std::size_t>(
      std::count_if(few.begin(), few.end(), [&](NodeId id) { return std::binary_search(many.begin(), many.end(), id); }));
}

}  // namespace

int benefit_score(const GraphIndex& index, std::span<const NodeId> nodes) {
  std::vector<NodeId> members(nodes.begin(), nodes.end());
  std::sort(members.begin(), members.end());
  double between = 0;
  double avoided = 0;
  int operators = 0;
  for (NodeId id : nodes) {
    operators += is_view(index.node(id).op) ? 0 : 1;
    for (ValueId value : index.node(id).outputs) {
      const auto readers = index.readers(value);
      const std::size_t inside = common(readers, members);
      if (inside == 0) continue;
      const bool kept = index.is_output(value) || readers.size() > inside;
      const auto size = size_of(index.type(value));
      // A symbolic tensor has no known size, so only the number of its passes counts.
      const double bytes = size.ok() ? static_cast<double>(size.value().count) : 1.0;
      between += bytes * static_cast<double>(1 + inside);
      avoided += bytes * static_cast<double>(inside + (kept ? 0 : 1));
    }
  }
  const double share = between > 0 ? 100.0 * avoided / between : 0.0;
  return std::min(100, static_cast<int>(share) + 5 * std::max(0, operators - 1));
}

}  // namespace fuselab
