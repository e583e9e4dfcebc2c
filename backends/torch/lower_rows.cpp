// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "backends/torch/lowering.h"

namespace fuselab::torch {
namespace {

constexpr Schema kSum{"aten::sum", "IntList_out", "tmbdt"};
constexpr Schema kMean{"aten::mean", "out", "tmbdt"};
constexpr Schema kMost{"aten::amax", "out", "tlbt"};
constexpr Schema kProductAlong{"aten::prod", "int_out", "tibdt"};
constexpr Schema kArgMax{"aten::argmax", "out", "tjbt"};
constexpr Schema kArgMin{"aten::argmin", "out", "tjbt"};
constexpr Schema kCumSum{"aten::cumsum", "out", "tidt"};
constexpr Schema kSoftmax{"aten::_softmax", "out", "tibt"};
constexpr Schema kLogSoftmax{"aten::_log_softmax", "out", "tibt"};
constexpr Schema kLayerNorm{"aten::native_layer_norm", "", "tloof", 3};
constexpr Schema kRmsNorm{"aten::rms_norm", "", "tlog"};

Extents reduced_axes(const Node& node, std::size_t rank) {
  Extents axes = node.attributes.integers("axes");
  for (std::int64_t& axis : axes) axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
  if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

Status reduce(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  const Extents axes = reduced_axes(node, to.extents(x).size());
  const int result = to.out(node);
  if (axes.empty()) {
    to.copy(result, x);
    return {};
  }
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

Status place(Lowering& to, const Node& node) {
  if (node.attributes.integer("select_last_index", 0) != 0) return not_taken("PyTorch names the first place");
  const int x = to.in(node, 0);
  const bool keeps = node.attributes.integer("keepdims", 1) != 0;
  to.call(node.op == Op::kArgMax ? kArgMax : kArgMin, {Ref{x}, axis_of(node, 0, to.extents(x).size()), keeps, Ref{to.out(node)}});
  return {};
}

Status cumulate(Lowering& to, const Node& node) {
  if (node.attributes.integer("exclusive", 0) != 0 || node.attributes.integer("reverse", 0) != 0)
    return not_taken("PyTorch adds up forwards and inclusively");
  const int x = to.in(node, 0);
  to.call(kCumSum, {Ref{x}, axis_of(node, 0, to.extents(x).size()), None{}, Ref{to.out(node)}});
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
