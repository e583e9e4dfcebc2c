// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/forms.h"

#include <algorithm>
#include <vector>

#include "core/ops/op_table.h"

namespace fuselab {
namespace {

using Axes = std::vector<std::int64_t>;

Group of_form(Form form, const Shape& space) {
  Group group;
  group.form = form;
  group.space = space;
  return group;
}

Group element_wise(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  const Shape& space = index.out_type(id).shape;
  if (node.inputs.size() > kMostRead)
    return alone(space, std::string(name_of(node.op)) + " reads more than " + std::to_string(kMostRead) + " values");
  Group group = of_form(Form::kElementWise, space);
  if (is_view(node.op)) group.operators = 0;
  return group;
}

Group channels(const GraphIndex& index, NodeId id) {
  return of_form(Form::kElementWise, index.out_type(id).shape);  // at inference: one scale and shift per channel
}

Group view(const GraphIndex& index, NodeId id) {
  Group group = of_form(Form::kView, index.out_type(id).shape);
  group.operators = 0;
  return group;
}

// Axes counted from the front, ascending; what is written nowhere means the operator's default.
Axes axes_of(const GraphIndex& index, NodeId id);

Group row_operator(const GraphIndex& index, NodeId id) {
  const Shape& space = index.type(index.node(id).inputs.front()).shape;
  if (works_on_last_axis(index, id)) return of_form(Form::kRows, space);
  std::string text;
  for (auto axis : axes_of(index, id)) text += (text.empty() ? "" : ",") + std::to_string(axis);
  return alone(space, std::string(name_of(index.node(id).op)) + " works along axes [" + text + "] of " + shape_text(space) +
                          ": only work along exactly the last axis shares a kernel with its neighbours");
}

Group loss(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  const Shape& space = index.type(node.inputs.front()).shape;
  if (space.size() == 2 && node.attributes.text("reduction", "mean") == "none") return of_form(Form::kRows, space);
  return alone(space, "SoftmaxCrossEntropyLoss also reduces across rows");
}

Group contraction(const GraphIndex& index, NodeId id, Form form) {
  Group group = of_form(form, index.out_type(id).shape);
  group.anchor = id;
  return group;
}

Group matrix(const GraphIndex& index, NodeId id) {
  return contraction(index, id, Form::kMatrix);
}

Group convolution(const GraphIndex& index, NodeId id) {
  return contraction(index, id, Form::kConvolution);
}

Group attention(const GraphIndex& index, NodeId id) {
  return contraction(index, id, Form::kAttention);
}

Group rotary(const GraphIndex& index, NodeId id) {
  return of_form(Form::kRotary, index.out_type(id).shape);
}

Group opaque(const GraphIndex& index, NodeId id) {
  return of_form(Form::kOpaque, index.out_type(id).shape);
}

Group own_kernel(const GraphIndex& index, NodeId id) {
  return alone(index.out_type(id).shape, "the kernel is written as it is");
}

Group windows(const GraphIndex& index, NodeId id) {
  return alone(index.out_type(id).shape,
               std::string(name_of(index.node(id).op)) + " reads windows of its input, each element several times");
}

Group scattered(const GraphIndex& index, NodeId id) {
  return alone(index.out_type(id).shape, "Gather reads scattered positions");
}

Group movement(const GraphIndex& index, NodeId id) {
  return alone(index.out_type(id).shape,
               std::string(name_of(index.node(id).op)) + " moves elements between positions: movement is a piece of its own");
}

Axes one_axis(const Node& node, std::int64_t) {
  return {node.attributes.integer("axis", -1)};
}

Axes listed_axes(const Node& node, std::int64_t) {
  return node.attributes.integers("axes");
}

Axes trailing_axes(const Node& node, std::int64_t rank) {
  std::int64_t first = node.attributes.integer("axis", -1);
  if (first < 0) first += rank;
  Axes axes;
  for (; first < rank; ++first) axes.push_back(first);
  return axes;
}

// An operator that shares no kernel has its form for asked backends that say they write it with others.
struct FormRow {
  Op op = Op::kIdentity;
  Group (*form)(const GraphIndex& index, NodeId id) = nullptr;
  bool shares_no_kernel = false;
  Axes (*axes)(const Node& node, std::int64_t rank) = one_axis;
};

constexpr OpFamily<FormRow, Op::kIdentity, kEndOfOps> kForms({
    {Op::kIdentity, element_wise},
    {Op::kNeg, element_wise},
    {Op::kAbs, element_wise},
    {Op::kExp, element_wise},
    {Op::kLog, element_wise},
    {Op::kSqrt, element_wise},
    {Op::kReciprocal, element_wise},
    {Op::kErf, element_wise},
    {Op::kTanh, element_wise},
    {Op::kSigmoid, element_wise},
    {Op::kRelu, element_wise},
    {Op::kLeakyRelu, element_wise},
    {Op::kGelu, element_wise},
    {Op::kSwish, element_wise},
    {Op::kClip, element_wise},
    {Op::kCast, element_wise},
    {Op::kSin, element_wise, true},
    {Op::kCos, element_wise, true},
    {Op::kTan, element_wise, true},
    {Op::kAsin, element_wise, true},
    {Op::kAcos, element_wise, true},
    {Op::kAtan, element_wise, true},
    {Op::kSinh, element_wise, true},
    {Op::kCosh, element_wise, true},
    {Op::kAsinh, element_wise, true},
    {Op::kAcosh, element_wise, true},
    {Op::kAtanh, element_wise, true},
    {Op::kFloor, element_wise, true},
    {Op::kCeil, element_wise, true},
    {Op::kRound, element_wise, true},
    {Op::kSign, element_wise, true},
    {Op::kIsNaN, element_wise, true},
    {Op::kIsInf, element_wise, true},
    {Op::kShrink, element_wise, true},
    {Op::kThresholdedRelu, element_wise, true},
    {Op::kAdd, element_wise},
    {Op::kSub, element_wise},
    {Op::kMul, element_wise},
    {Op::kDiv, element_wise},
    {Op::kPow, element_wise},
    {Op::kMin, element_wise},
    {Op::kMax, element_wise},
    {Op::kWhere, element_wise},
    {Op::kBitwiseAnd, element_wise, true},
    {Op::kEqual, element_wise, true},
    {Op::kLess, element_wise, true},
    {Op::kGreater, element_wise, true},
    {Op::kLessOrEqual, element_wise, true},
    {Op::kGreaterOrEqual, element_wise, true},
    {Op::kAnd, element_wise, true},
    {Op::kOr, element_wise, true},
    {Op::kXor, element_wise, true},
    {Op::kNot, element_wise, true},
    {Op::kMod, element_wise, true},
    {Op::kReduceSum, row_operator, false, listed_axes},
    {Op::kReduceMean, row_operator, false, listed_axes},
    {Op::kReduceMax, row_operator, false, listed_axes},
    {Op::kReduceProd, element_wise, true},
    {Op::kArgMax, element_wise, true},
    {Op::kArgMin, element_wise, true},
    {Op::kCumSum, element_wise, true},
    {Op::kSoftmax, row_operator},
    {Op::kLogSoftmax, row_operator},
    {Op::kHardmax, element_wise, true},
    {Op::kTopK, element_wise, true},
    {Op::kLayerNormalization, row_operator, false, trailing_axes},
    {Op::kRMSNormalization, row_operator, false, trailing_axes},
    {Op::kSoftmaxCrossEntropyLoss, loss},
    {Op::kNegativeLogLikelihoodLoss, element_wise, true},
    {Op::kMatMul, matrix},
    {Op::kGemm, matrix},
    {Op::kConv, convolution},
    {Op::kAttention, attention},
    {Op::kLSTM, element_wise, true},
    {Op::kGRU, element_wise, true},
    {Op::kRNN, element_wise, true},
    {Op::kBatchNormalization, channels},
    {Op::kMaxPool, windows},
    {Op::kAveragePool, windows},
    {Op::kGlobalAveragePool, windows},
    {Op::kRotaryEmbedding, rotary},
    {Op::kTranspose, movement},
    {Op::kReshape, view},
    {Op::kFlatten, view},
    {Op::kUnsqueeze, view},
    {Op::kSqueeze, view},
    {Op::kExpand, movement},
    {Op::kConcat, movement},
    {Op::kSlice, movement},
    {Op::kSplit, movement},
    {Op::kGather, scattered},
    {Op::kTrilu, element_wise, true},
    {Op::kPad, element_wise, true},
    {Op::kGatherElements, element_wise, true},
    {Op::kGatherND, element_wise, true},
    {Op::kScatterElements, element_wise, true},
    {Op::kScatterND, element_wise, true},
    {Op::kConstant, element_wise},
    {Op::kOwnKernel, own_kernel},
    {Op::kOpaque, opaque},
});

const FormRow& row_of(Op op) {
  return kForms.rows[static_cast<std::size_t>(op)];
}

Axes axes_of(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  const auto rank = static_cast<std::int64_t>(index.type(node.inputs.front()).shape.size());
  Axes axes = row_of(node.op).axes(node, rank);
  if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) {
    for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  for (auto& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace

Group alone(const Shape& space, std::string because) {
  Group group;
  group.space = space;
  group.alone_because.reason = std::move(because);
  return group;
}

bool works_on_last_axis(const GraphIndex& index, NodeId id) {
  const auto rank = static_cast<std::int64_t>(index.type(index.node(id).inputs.front()).shape.size());
  const auto axes = axes_of(index, id);
  return axes.size() == 1 && axes.front() == rank - 1;
}

bool shares_no_kernel(Op op) {
  return row_of(op).shares_no_kernel;
}

Group form_of(const GraphIndex& index, NodeId id) {
  return row_of(index.node(id).op).form(index, id);
}

}  // namespace fuselab
