// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "backends/torch/lowering.h"
#include "core/graph/node_axes.h"

namespace fuselab::torch {
namespace {

constexpr Schema kConvolution{"aten::convolution", "", "ttolllbli"};
constexpr Schema kBatchNorm{"aten::native_batch_norm", "out", "toooobffttt", 3};
constexpr Schema kMaxPool2d{"aten::max_pool2d_with_indices", "out", "tllllbtt", 2};
constexpr Schema kMaxPool3d{"aten::max_pool3d_with_indices", "out", "tllllbtt", 2};
constexpr Schema kAveragePool2d{"aten::avg_pool2d", "out", "tlllbbjt"};
constexpr Schema kAveragePool3d{"aten::avg_pool3d", "out", "tlllbbjt"};
constexpr Schema kMeanOverWindow{"aten::mean", "out", "tmbdt"};

Result<SlidingWindows> windows_of(const Lowering& to, const Node& node) {
  SlidingWindows windows = sliding_windows(to.graph(), node);
  if (windows.input.size() > 3) return not_taken("PyTorch has windows of three axes at most");
  if (windows.before != windows.after) return not_taken("PyTorch pads both ends alike");
  return windows;
}

Status convolve(Lowering& to, const Node& node) {
  FL_TRY(const SlidingWindows windows, windows_of(to, node));
  Argument bias = None{};
  if (node.inputs.size() > 2) bias = Ref{to.in(node, 2)};
  to.call(kConvolution,
          {Ref{to.in(node, 0)}, Ref{to.in(node, 1)}, bias, windows.strides, windows.before, windows.dilations, false,
           Extents(windows.input.size(), 0), node.attributes.integer("group", 1)},
          to.out(node));
  return {};
}

Status normalize_channels(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  const auto operand = [&](std::size_t i) { return Ref{to.in(node, i)}; };
  // What a training step would keep; it is given nothing here.
  const DType dtype = to.tensor(x).dtype;
  const int unused_mean = to.view(to.kept(dtype, {1}), {0}, {1}), unused_deviation = to.view(to.kept(dtype, {1}), {0}, {1});
  to.call(kBatchNorm, {Ref{x}, operand(1), operand(2), operand(3), operand(4), false, 0.0, node.attributes.real("epsilon", 1e-5),
                       Ref{to.out(node)}, Ref{unused_mean}, Ref{unused_deviation}});
  return {};
}

Status pool(Lowering& to, const Node& node) {
  int x = to.in(node, 0);
  FL_TRY(SlidingWindows windows, windows_of(to, node));
  const std::size_t given = windows.input.size();
  Extents& kernel = windows.kernel;
  if (node.attributes.integer("ceil_mode", 0) != 0) return not_taken("PyTorch rounds up in another way");
  if (node.attributes.integer("storage_order", 0) != 0) return not_taken("PyTorch stores rows");
  for (std::size_t i = 0; i < given; ++i) {
    if (2 * windows.before[i] > kernel[i]) return not_taken("PyTorch pads by half of a window at most");
  }
  int result = to.out(node);
  if (given == 1) {  // as images of one row
    Extents seen = to.extents(x), made = to.extents(result);
    seen.insert(seen.begin() + 2, 1);
    made.insert(made.begin() + 2, 1);
    x = to.reshaped(x, seen);
    result = to.reshaped(result, made);
    kernel.insert(kernel.begin(), 1);
    windows.strides.insert(windows.strides.begin(), 1);
    windows.dilations.insert(windows.dilations.begin(), 1);
    windows.before.insert(windows.before.begin(), 0);
  }
  if (node.op == Op::kMaxPool) {
    const int places = to.kept(DType::kI64, to.extents(result));
    to.call(given == 3 ? kMaxPool3d : kMaxPool2d,
            {Ref{x}, kernel, windows.strides, windows.before, windows.dilations, false, Ref{result}, Ref{places}});
    return {};
  }
  if (std::ranges::any_of(windows.dilations, [](std::int64_t each) { return each != 1; }))
    return not_taken("PyTorch averages windows without gaps");
  const bool counts = node.attributes.integer("count_include_pad", 0) != 0;
  to.call(given == 3 ? kAveragePool3d : kAveragePool2d,
          {Ref{x}, kernel, windows.strides, windows.before, false, counts, None{}, Ref{result}});
  return {};
}

Status pool_all(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  Extents axes(to.extents(x).size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  to.call(kMeanOverWindow, {Ref{x}, axes, true, None{}, Ref{to.out(node)}});
  return {};
}

constexpr LoweringRow kWindowRows[] = {{Op::kConv, convolve},
                                       {Op::kBatchNormalization, normalize_channels},
                                       {Op::kMaxPool, pool},
                                       {Op::kAveragePool, pool},
                                       {Op::kGlobalAveragePool, pool_all}};

}  // namespace

std::span<const LoweringRow> window_rows() {
  return kWindowRows;
}

}  // namespace fuselab::torch
