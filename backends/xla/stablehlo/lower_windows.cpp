// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "backends/xla/stablehlo/lowering.h"
#include "core/extents/strides.h"
#include "core/graph/node_axes.h"

namespace fuselab::xla {
namespace {

std::string pairs_text(const std::vector<Extents>& pairs) {
  std::string text = "[";
  for (std::size_t i = 0; i < pairs.size(); ++i) text += (i > 0 ? ", " : "") + number_list(pairs[i]);
  return text + "]";
}

// [C] at every place of [N,C,…].
HloValue per_channel(HloBuilder& out, const HloValue& x, const Extents& extents) {
  return out.broadcast_in(x, extents, {1});
}

HloResults convolution(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue &x = call.in[0], &w = call.in[1];
  const SlidingWindows windows = sliding_windows(call.graph, call.node);
  std::string axes;
  std::vector<Extents> pads;
  for (std::size_t i = 0; i < windows.input.size(); ++i) {
    axes += ", " + std::to_string(i);
    pads.push_back({windows.before[i], windows.after[i]});
  }
  const std::string text =
      "stablehlo.convolution(" + x.name + ", " + w.name + ") dim_numbers = [b, f" + axes + "]x[o, i" + axes + "]->[b, f" + axes +
      "], window = {stride = " + number_list(windows.strides) + ", pad = " + pairs_text(pads) +
      ", rhs_dilate = " + number_list(windows.dilations) +
      "} {batch_group_count = 1 : i64, feature_group_count = " + std::to_string(call.node.attributes.integer("group", 1)) +
      " : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}";
  const HloValue y = out.append(text, std::array{x, w}, x.dtype, call.extents());
  return std::vector{call.has(2) ? out.binary("add", y, per_channel(out, call.in[2], y.extents)) : y};
}

// `operation` over windows; what the padding adds is `start`.
HloValue over_windows(const HloCall& call, const HloValue& x, std::string_view operation, double start) {
  HloBuilder& out = call.out;
  const SlidingWindows windows = sliding_windows(call.graph, call.node);
  const Extents results = call.extents();
  Extents window = {1, 1}, strides = {1, 1}, dilations = {1, 1};
  std::vector<Extents> pads = {{0, 0}, {0, 0}};
  for (std::size_t i = 0; i < windows.input.size(); ++i) {
    window.push_back(windows.kernel[i]);
    strides.push_back(windows.strides[i]);
    dilations.push_back(windows.dilations[i]);
    // What ceil_mode lets the last window overhang is padding at the end, too.
    const std::int64_t reach = (results[i + 2] - 1) * windows.strides[i] + (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    pads.push_back({windows.before[i], reach - windows.input[i] - windows.before[i]});
  }
  const HloValue init = out.constant(start, x.dtype);
  const std::string scalar = hlo_type(x.dtype, {});
  const std::string text = "\"stablehlo.reduce_window\"(" + x.name + ", " + init.name + ") ({ ^bb0(%a: " + scalar +
                           ", %b: " + scalar + "): %r = stablehlo." + std::string(operation) + " %a, %b : " + scalar +
                           " stablehlo.return %r : " + scalar + " }) {window_dimensions = " + number_array(window) +
                           ", window_strides = " + number_array(strides) + ", window_dilations = " + number_array(dilations) +
                           ", padding = dense<" + pairs_text(pads) + "> : tensor<" + std::to_string(pads.size()) + "x2xi64>}";
  return out.append(text, std::array{x, init}, x.dtype, results);
}

HloResults average(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue& x = call.in[0];
  const bool padded = call.node.attributes.integer("count_include_pad", 0) != 0;
  if (padded && call.node.attributes.integer("ceil_mode", 0) != 0) return unwritten(call, "counts pads and rounds up");
  const HloValue sum = over_windows(call, x, "add", 0);
  if (padded) return std::vector{out.with("divide", sum, static_cast<double>(product_of(call.list("kernel_shape"))))};
  const HloValue counts = over_windows(call, out.constant(1, x.dtype, x.extents), "add", 0);
  return std::vector{out.binary("divide", sum, counts)};
}

HloResults batch_normalization(const HloCall& call) {
  HloBuilder& out = call.out;
  if (call.node.attributes.integer("training_mode", 0) != 0) return unwritten(call, "trains");
  const HloValue& x = call.in[0];
  const HloValue inverse = out.unary("rsqrt", out.with("add", call.in[4], call.node.attributes.real("epsilon", 1e-5)));
  const HloValue factor = out.binary("multiply", call.in[1], inverse);
  const HloValue centred = out.binary("subtract", x, per_channel(out, call.in[3], x.extents));
  const HloValue scaled = out.binary("multiply", centred, per_channel(out, factor, x.extents));
  return std::vector{out.binary("add", scaled, per_channel(out, call.in[2], x.extents))};
}

HloResults global_average(const HloCall& call) {
  const HloValue& x = call.in[0];
  const Extents axes = axes_from(2, x.rank());
  const HloValue mean = call.out.with("divide", call.out.reduce("add", x, axes, 0), count_along(x, axes));
  return std::vector{call.out.reshape(mean, call.extents())};
}

}  // namespace

HloResults lower_windows(const HloCall& call) {
  switch (call.node.op) {
    case Op::kConv: return convolution(call);
    case Op::kMaxPool:
      if (!is_floating(call.in[0].dtype)) return unwritten(call, "is of integers");
      return std::vector{over_windows(call, call.in[0], "maximum", -std::numeric_limits<double>::infinity())};
    case Op::kAveragePool: return average(call);
    case Op::kBatchNormalization: return batch_normalization(call);
    case Op::kGlobalAveragePool: return global_average(call);
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
