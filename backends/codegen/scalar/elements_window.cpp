// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools over any number of spatial axes.

#include "backends/codegen/scalar/elements.h"
#include "core/tensor/small_float.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

SlidingWindows windows_of(const ElementSite& site) {
  return sliding_windows(site.elements.graph(), site.node);
}

// Calls write(body, taps, places) for the taps that lie inside of the input.
template <typename Write>
void over_taps(const ElementSite& site, const SlidingWindows& windows, Body& body, Write write) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < windows.kernel.size(); ++axis) axes.push_back(axis);
  const Place none{std::vector<ExprPtr>(axes.size(), integer(0)), nullptr};
  site.elements.over(body, windows.kernel, axes, none, [&](Body& inner, const Place& taps) {
    std::vector<ExprPtr> from;
    ExprPtr inside = integer(1);
    for (std::size_t axis : axes) {
      const ExprPtr start = site.place.at[axis + 2] * integer(windows.strides[axis]) - integer(windows.before[axis]);
      from.push_back(site.elements.keep(inner, "from", start + taps.at[axis] * integer(windows.dilations[axis])));
      const ExprPtr here =
          binary("&&", binary(">=", from.back(), integer(0)), binary("<", from.back(), integer(windows.input[axis])));
      inside = constant_or(inside, 0) == 1 ? here : binary("&&", inside, here);
    }
    site.elements.when(inner, inside, [&](Body& found) { write(found, taps.at, from); });
  });
}

ExprPtr convolved(const ElementSite& site) {
  const SlidingWindows windows = windows_of(site);
  const Extents weights = site.extents(1);
  const std::int64_t per_group = weights[0] / site.node.attributes.integer("group", 1);
  const ExprPtr filter = site.place.at[1];
  ExprPtr first = real(0, kElementReal);
  if (site.node.inputs.size() > 2) first = site.operand(2, {{filter}, nullptr}, site.body);
  const ExprPtr total = site.elements.variable(site.body, "total", first);
  site.elements.loop(site.body, "channel", integer(0), integer(weights[1]), [&](Body& each, const ExprPtr& channel) {
    over_taps(site, windows, each, [&](Body& inner, const std::vector<ExprPtr>& taps, const std::vector<ExprPtr>& from) {
      Place x{{site.place.at[0], filter / integer(per_group) * integer(weights[1]) + channel}, nullptr};
      Place w{{filter, channel}, nullptr};
      x.at.insert(x.at.end(), from.begin(), from.end());
      w.at.insert(w.at.end(), taps.begin(), taps.end());
      const ExprPtr left = site.operand(0, x, inner), right = site.operand(1, w, inner);
      BodyBuilder(inner).assign(total, total + left * right);
    });
  });
  return total;
}

// Taps of one window inside the padded input: what an overhang of ceil_mode reaches never counts.
ExprPtr padded_taps(const ElementSite& site, const SlidingWindows& windows) {
  ExprPtr taps = integer(1);
  const std::size_t spatial = windows.kernel.size();
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    const ExprPtr start = site.place.at[axis + 2] * integer(windows.strides[axis]) - integer(windows.before[axis]);
    const std::int64_t end = windows.input[axis] + windows.after[axis];
    taps =
        taps * call("whole_taps", kIndex, {integer(end) - start, integer(windows.dilations[axis]), integer(windows.kernel[axis])});
  }
  return taps;
}

ExprPtr pooled(const ElementSite& site) {
  const SlidingWindows windows = windows_of(site);
  const bool most = site.node.op == Op::kMaxPool;
  const bool is_real = is_floating(site.result().dtype);
  const auto place_of_tap = [&](const std::vector<ExprPtr>& from) {
    Place x{{site.place.at[0], site.place.at[1]}, nullptr};
    x.at.insert(x.at.end(), from.begin(), from.end());
    return x;
  };
  if (most) {
    const double least = detail::lowest_of(site.result().dtype);
    const ExprPtr lowest = is_real ? real(least, kElementReal) : integer(static_cast<std::int64_t>(least));
    const ExprPtr best = site.elements.variable(site.body, "best", lowest);
    over_taps(site, windows, site.body, [&](Body& inner, const std::vector<ExprPtr>&, const std::vector<ExprPtr>& from) {
      const ExprPtr x = site.operand(0, place_of_tap(from), inner);
      BodyBuilder(inner).assign(best, call(is_real ? "max" : "whole_max", best->type, {best, x}));
    });
    return best;
  }
  const ExprPtr sum = site.elements.variable(site.body, "sum", real(0, kElementReal));
  const ExprPtr met = site.elements.variable(site.body, "met", integer(0));
  over_taps(site, windows, site.body, [&](Body& inner, const std::vector<ExprPtr>&, const std::vector<ExprPtr>& from) {
    const ExprPtr x = site.operand(0, place_of_tap(from), inner);
    BodyBuilder(inner).assign(sum, sum + x);
    BodyBuilder(inner).assign(met, met + integer(1));
  });
  const bool counts_padding = site.node.attributes.integer("count_include_pad", 0) != 0;
  const ExprPtr divisor = call("whole_max", kIndex, {counts_padding ? padded_taps(site, windows) : met, integer(1)});
  return sum / call("real", kElementReal, {divisor});
}

// Normalises as at inference, with one scale and shift per channel.
ExprPtr normalized(const ElementSite& site) {
  if (site.node.attributes.integer("training_mode", 0) != 0)
    return site.elements.refuse(site.node, "training mode is not generated");
  const ExprPtr x = site.operand(0, site.place, site.body);
  std::vector<ExprPtr> of_channel;
  for (std::size_t i = 1; i < 5; ++i) of_channel.push_back(site.operand(i, {{site.place.at[1]}, nullptr}, site.body));
  const ExprPtr epsilon = real(site.node.attributes.real("epsilon", 1e-5), kElementReal);
  const ExprPtr deviation = call("sqrt", kElementReal, {of_channel[3] + epsilon});
  return (x - of_channel[2]) / deviation * of_channel[0] + of_channel[1];
}

}  // namespace

ExprPtr window_element(const ElementSite& site) {
  switch (site.node.op) {
    case Op::kConv: return convolved(site);
    case Op::kMaxPool:
    case Op::kAveragePool: return pooled(site);
    case Op::kBatchNormalization: return normalized(site);
    default: return nullptr;
  }
}

}  // namespace fuselab::codegen
