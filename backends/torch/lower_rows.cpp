// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/lowering.h"
#include "core/graph/node_axes.h"

namespace fuselab::torch {
namespace {

constexpr Schema kSum{"aten::sum", "IntList_out", "tmbdt"};
constexpr Schema kMean{"aten::mean", "out", "tmbdt"};
constexpr Schema kMost{"aten::amax", "out", "tlbt"};
constexpr Schema kProductAlong{"aten::prod", "int_out", "tibdt"};
constexpr Schema kArgMax{"aten::argmax", "out", "tjbt"};
constexpr Schema kArgMin{"aten::argmin", "out", "tjbt"};
constexpr Schema kCumSum{"aten::cumsum", "out", "tidt"};
constexpr Schema kFlip{"aten::flip", "", "tl"};
constexpr Schema kFill{"aten::fill_", "Tensor", "tt"};
constexpr Schema kSub{"aten::sub", "out", "ttct", 1, "_ZN2at4_ops7sub_out4callERKNS_6TensorES4_RKN3c106ScalarERS2_"};
constexpr Schema kSoftmax{"aten::_softmax", "out", "tibt"};
constexpr Schema kLogSoftmax{"aten::_log_softmax", "out", "tibt"};
constexpr Schema kLayerNorm{"aten::native_layer_norm", "", "tloof", 3};
constexpr Schema kRmsNorm{"aten::rms_norm", "", "tlog"};

Status reduce(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  const auto along = reduced_axes(to.graph(), node);
  const Extents axes(along.begin(), along.end());
  const int result = to.out(node);
  if (axes.empty()) {
    to.copy(result, x);
    return {};
  }
  const DType dtype = to.tensor(x).dtype;
  if (node.op == Op::kReduceMean && !is_floating(dtype)) return not_taken("PyTorch has no mean of whole numbers");
  const bool keeps = node.attributes.integer("keepdims", 1) != 0;
  switch (node.op) {
    case Op::kReduceSum: to.call(kSum, {Ref{x}, axes, keeps, None{}, Ref{result}}); return {};
    case Op::kReduceMean: to.call(kMean, {Ref{x}, axes, keeps, None{}, Ref{result}}); return {};
    case Op::kReduceMax: to.call(kMost, {Ref{x}, axes, keeps, Ref{result}}); return {};
    default: break;
  }
  if (axes.size() != 1) return not_taken("PyTorch multiplies along one axis");
  to.call(kProductAlong, {Ref{x}, axes.front(), keeps, None{}, Ref{result}});
  return {};
}

// The same elements, from the last to the first along an axis.
int flipped(Lowering& to, int number, std::int64_t axis) {
  const int turned = to.kept(to.tensor(number).dtype, to.extents(number));
  to.call(kFlip, {Ref{number}, Extents{axis}}, turned);
  return turned;
}

// PyTorch names the first of several: the last is the first of what is turned round, counted from the end.
Status place(Lowering& to, const Node& node) {
  const Schema& schema = node.op == Op::kArgMax ? kArgMax : kArgMin;
  const int x = to.in(node, 0), result = to.out(node);
  const std::int64_t axis = axis_of(node, 0, to.extents(x).size());
  const bool keeps = node.attributes.integer("keepdims", 1) != 0;
  if (node.attributes.integer("select_last_index", 0) == 0) {
    to.call(schema, {Ref{x}, axis, keeps, Ref{result}});
    return {};
  }
  const int from_the_end = to.kept(DType::kI64, to.extents(result));
  const auto last = static_cast<double>(to.extents(x)[static_cast<std::size_t>(axis)] - 1);
  to.call(schema, {Ref{flipped(to, x, axis)}, axis, keeps, Ref{from_the_end}});
  to.call(kSub, {Ref{to.number(DType::kI64, last)}, Ref{from_the_end}, std::int64_t{1}, Ref{result}});
  return {};
}

// Exclusive: the sums stand one place further on, behind a zero.
Status cumulate(Lowering& to, const Node& node) {
  int x = to.in(node, 0);
  if (const DType dtype = to.tensor(x).dtype; !is_floating(dtype) && dtype != DType::kI64)
    return not_taken("PyTorch adds whole numbers up in i64");
  const int result = to.out(node);
  const std::int64_t axis = axis_of(node, 0, to.extents(x).size());
  const auto at = static_cast<std::size_t>(axis);
  const bool reverse = node.attributes.integer("reverse", 0) != 0;
  if (reverse) x = flipped(to, x, axis);
  int sums = reverse ? to.kept(to.tensor(x).dtype, to.extents(x)) : result;
  const int whole = sums;
  if (node.attributes.integer("exclusive", 0) != 0) {
    const auto part = [&](int number, std::int64_t count, std::int64_t from) {
      Extents extents = to.extents(number);
      extents[at] = count;
      return to.view(number, extents, to.tensor(number).strides, from * to.tensor(number).strides[at]);
    };
    const std::int64_t count = to.extents(x)[at] - 1;
    to.call(kFill, {Ref{part(sums, 1, 0)}, Ref{to.number(to.tensor(x).dtype, 0)}});
    sums = part(sums, count, 1);
    x = part(x, count, 0);
    if (count == 0) return reverse ? not_taken("of one element backwards") : Status();
  }
  to.call(kCumSum, {Ref{x}, axis, None{}, Ref{sums}});
  if (reverse) to.call(kFlip, {Ref{whole}, Extents{axis}}, result);
  return {};
}

Status softmax(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  to.call(node.op == Op::kSoftmax ? kSoftmax : kLogSoftmax,
          {Ref{x}, axis_of(node, -1, to.extents(x).size()), false, Ref{to.out(node)}});
  return {};
}

Status normalize(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  const std::int64_t axis = axis_of(node, -1, to.extents(x).size());
  const Extents row(to.extents(x).begin() + axis, to.extents(x).end());
  std::vector<Argument> arguments = {Ref{x}, row};
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (to.extents(to.in(node, i)) != row) return not_taken("PyTorch takes factors of the normalized axes alone");
    arguments.emplace_back(Ref{to.in(node, i)});
  }
  const double epsilon = node.attributes.real("epsilon", 1e-5);
  const int result = to.out(node);
  if (node.op == Op::kLayerNormalization && node.inputs.size() == 2) arguments.emplace_back(None{});
  arguments.emplace_back(epsilon);
  to.call(node.op == Op::kLayerNormalization ? kLayerNorm : kRmsNorm, std::move(arguments), result);
  return {};
}

constexpr LoweringRow kRowRows[] = {{Op::kReduceSum, reduce},
                                    {Op::kReduceMean, reduce},
                                    {Op::kReduceMax, reduce},
                                    {Op::kReduceProd, reduce},
                                    {Op::kArgMax, place},
                                    {Op::kArgMin, place},
                                    {Op::kCumSum, cumulate},
                                    {Op::kSoftmax, softmax},
                                    {Op::kLogSoftmax, softmax},
                                    {Op::kLayerNormalization, normalize},
                                    {Op::kRMSNormalization, normalize}};

}  // namespace

std::span<const LoweringRow> row_rows() {
  return kRowRows;
}

}  // namespace fuselab::torch
