// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_windows.h"

#include "core/reference/operators/reference_matmul.h"
#include "core/tensor/small_float.h"

namespace fuselab::reference {

std::vector<std::int64_t> kernel_of(const Node& node, std::span<const std::int64_t> weights) {
  if (node.op == Op::kConv) return {weights.begin() + 2, weights.end()};
  return node.attributes.integers("kernel_shape");
}

Windows windows_of(const Node& node, std::span<const std::int64_t> input, std::span<const std::int64_t> output,
                   std::span<const std::int64_t> kernel) {
  const std::size_t spatial = kernel.size();
  const auto strides = node.attributes.integers("strides", std::vector<std::int64_t>(spatial, 1));
  const auto dilations = node.attributes.integers("dilations", std::vector<std::int64_t>(spatial, 1));
  const auto pads = node.attributes.integers("pads", std::vector<std::int64_t>(2 * spatial, 0));
  Windows windows;
  for (std::size_t i = 0; i < spatial; ++i) {
    windows.axes[3 - spatial + i] = {input[i + 2], output[i + 2], kernel[i], strides[i], dilations[i], pads[i], pads[spatial + i]};
  }
  return windows;
}

namespace {

// Sums of products over filters' windows, on values or on magnitudes.
template <typename T>
class Convolution {
 public:
  Convolution(const NodeCall& call, const Windows& windows, std::span<const T> x, std::span<const T> w)
      : windows_(windows),
        x_(x),
        w_(w),
        filters_(call.output.extents[1]),
        channels_(call.input(1).extents[1]),
        all_channels_(call.input(0).extents[1]),
        per_group_(filters_ / call.node.attributes.integer("group", 1)) {}

  void dense(T* out, std::int64_t images) const {
    for (std::int64_t plane = 0; plane < images * filters_; ++plane) {
      for (std::int64_t channel = 0; channel < channels_; ++channel)
        add_channel(plane, channel, out + plane * windows_.output_plane());
    }
  }

  T at(std::int64_t position) const {
    const std::int64_t plane = position / windows_.output_plane();
    T sum = 0;
    for (std::int64_t channel = 0; channel < channels_; ++channel) {
      const T* const x = input_plane(plane, channel);
      const T* const w = filter(plane, channel);
      windows_.for_each_tap(position % windows_.output_plane(), [&](std::int64_t tap, std::int64_t at) { sum += w[tap] * x[at]; });
    }
    return sum;
  }

 private:
  const T* input_plane(std::int64_t plane, std::int64_t channel) const {
    const std::int64_t group = plane % filters_ / per_group_;
    return x_.data() + (plane / filters_ * all_channels_ + group * channels_ + channel) * windows_.input_plane();
  }
  const T* filter(std::int64_t plane, std::int64_t channel) const {
    return w_.data() + (plane % filters_ * channels_ + channel) * windows_.taps();
  }

  void add_channel(std::int64_t plane, std::int64_t channel, T* out) const {
    const auto& [deep, high, wide] = windows_.axes;
    const T* const x = input_plane(plane, channel);
    const T* w = filter(plane, channel);
    for (std::int64_t i = 0; i < deep.kernel; ++i) {
      for (std::int64_t j = 0; j < high.kernel; ++j) {
        for (std::int64_t k = 0; k < wide.kernel; ++k) add_tap(x, *w++, i, j, k, out);
      }
    }
  }

  // One weight times all the elements it meets: row by row, so that stride 1 runs over contiguous memory.
  void add_tap(const T* x, T w, std::int64_t i, std::int64_t j, std::int64_t k, T* out) const {
    const auto& [deep, high, wide] = windows_.axes;
    std::int64_t first = 0;
    while (first < wide.output && wide.source(first, k) < 0) ++first;
    std::int64_t end = wide.output;
    while (end > first && wide.source(end - 1, k) >= wide.input) --end;
    for (std::int64_t d = 0; d < deep.output; ++d) {
      const std::int64_t z = deep.source(d, i);
      if (!deep.inside(z)) continue;
      for (std::int64_t h = 0; h < high.output; ++h) {
        const std::int64_t y = high.source(h, j);
        if (!high.inside(y)) continue;
        const T* const from = x + (z * high.input + y) * wide.input + wide.source(0, k);
        T* const to = out + (d * high.output + h) * wide.output;
        for (std::int64_t o = first; o < end; ++o) to[o] += w * from[o * wide.stride];
      }
    }
  }

  const Windows& windows_;
  std::span<const T> x_, w_;
  std::int64_t filters_, channels_, all_channels_, per_group_;
};

template <typename T>
void convolve(const NodeCall& call, const Windows& windows, std::span<const T> x, std::span<const T> w, T* out) {
  const Convolution<T> convolution(call, windows, x, w);
  if (call.needed.all()) return convolution.dense(out, call.output.extents[0]);
  for (const std::int64_t at : call.needed.positions()) out[at] = convolution.at(at);
}

struct Pooled {
  Bounded most;
  Bounded sum;
  double magnitude = 0;
  std::int64_t taps = 0;
};

// Returns what ONNX divides by with count_include_pad: the taps inside the padded input; the overhang of ceil_mode never counts.
std::int64_t padded_taps(const Windows& windows, std::int64_t out) {
  const std::int64_t coordinates[3] = {out / (windows.axes[1].output * windows.axes[2].output),
                                       out / windows.axes[2].output % windows.axes[1].output, out % windows.axes[2].output};
  std::int64_t taps = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    const WindowAxis& axis = windows.axes[a];
    std::int64_t inside = 0;
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap)
      inside += axis.source(coordinates[a], tap) < axis.input + axis.pad_end ? 1 : 0;
    taps *= inside;
  }
  return taps;
}

Pooled pooled(const NodeCall& call, const Windows& windows, std::int64_t position) {
  const std::int64_t plane = position / windows.output_plane() * windows.input_plane();
  Pooled result;
  result.most.v = detail::lowest_of(call.output.dtype);  // of a window that lies in the padding altogether
  windows.for_each_tap(position % windows.output_plane(), [&](std::int64_t, std::int64_t at) {
    const Bounded x = call.operand(0, plane + at);
    result.most.v = std::isnan(x.v) || x.v > result.most.v ? x.v : result.most.v;
    result.most.e = std::max(result.most.e, x.e);
    result.sum.v += x.v;
    result.sum.e += x.e;
    result.magnitude += std::fabs(x.v);
    ++result.taps;
  });
  return result;
}

void convolve_all(const NodeCall& call) {
  const Windows windows =
      windows_of(call.node, call.input(0).extents, call.output.extents, kernel_of(call.node, call.input(1).extents));
  convolve<double>(call, windows, call.input(0).data, call.input(1).data, call.output.owned_data.data());
  const Rounding rounding = rounding_of(call.output.dtype);
  const double kappa = (1 + sum_growth(windows.taps() * call.input(1).extents[1])) * rounding.accumulate;
  if (call.with_error && kappa > 0) {
    const auto x = magnitudes_of(call.input(0), kappa);
    const auto w = magnitudes_of(call.input(1), kappa);
    convolve<float>(call, windows, x, w, call.output.owned_error.data());
  }
  double* const values = call.output.owned_data.data();
  float* const errors = call.with_error ? call.output.owned_error.data() : nullptr;
  call.needed.for_each(call.output.count(), [&](std::int64_t i) {
    const Bounded bias = call.has_input(2) ? call.operand(2, i / windows.output_plane() % call.output.extents[1]) : Bounded{};
    const double error = errors != nullptr ? kappa * static_cast<double>(errors[i]) : 0;
    call.put(rounding, i, {values[i] + bias.v, error + bias.e + rounding.accumulate * std::fabs(bias.v)});
  });
}

void pool_all(const NodeCall& call) {
  const Windows windows = windows_of(call.node, call.input(0).extents, call.output.extents, kernel_of(call.node, {}));
  const Rounding rounding = rounding_of(call.output.dtype);
  const bool counts_padding = call.node.attributes.integer("count_include_pad", 0) != 0;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const Pooled result = pooled(call, windows, at);
    if (call.node.op == Op::kMaxPool) return call.put_copy(at, result.most);
    const std::int64_t divisor = counts_padding ? padded_taps(windows, at % windows.output_plane()) : result.taps;
    const double n = static_cast<double>(std::max<std::int64_t>(divisor, 1));
    const double own = sum_growth(result.taps) * rounding.accumulate * result.magnitude;
    call.put(rounding, at, {result.sum.v / n, (result.sum.e + own) / n});
  });
}

void normalize_channels(const NodeCall& call) {
  const Rounding rounding = rounding_of(call.output.dtype);
  const double u = rounding.accumulate;
  const double epsilon = call.node.attributes.real("epsilon", 1e-5);
  const std::int64_t channels = call.output.extents[1];
  const std::int64_t plane = product_of(std::span(call.output.extents).subspan(2));
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const std::int64_t channel = at / plane % channels;
    const Bounded x = call.operand(0, at), scale = call.operand(1, channel), bias = call.operand(2, channel);
    const Bounded mean = call.operand(3, channel), variance = call.operand(4, channel);
    const double root = std::sqrt(variance.v + epsilon);
    const double gain = scale.v / root;
    const double c = x.v - mean.v;
    // A kernel may fold the gain and mean·gain ahead, so both products count.
    const double own = 4 * u * (std::fabs(x.v * gain) + std::fabs(mean.v * gain) + std::fabs(bias.v));
    const double carried = std::fabs(gain) * (x.e + mean.e) + std::fabs(c / root) * scale.e + bias.e +
                           std::fabs(c * gain) * 0.5 * variance.e / (variance.v + epsilon);
    call.put(rounding, at, {c * gain + bias.v, own + carried});
  });
}

std::vector<Needed> window_demand(const Ask& ask) {
  if (!ask.computed[0]) return std::vector<Needed>(ask.node.inputs.size(), Needed::everything());
  const bool is_conv = ask.node.op == Op::kConv;
  const auto input = ask.extents(0);
  const auto output = ask.output();
  const auto weights = is_conv ? ask.extents(1) : std::vector<std::int64_t>();
  const Windows windows = windows_of(ask.node, input, output, kernel_of(ask.node, weights));
  const std::int64_t channels = is_conv ? weights[1] : 1;
  const std::int64_t per_group = output[1] / (is_conv ? ask.node.attributes.integer("group", 1) : output[1]);
  std::vector<bool> seen(static_cast<std::size_t>(product_of(input)));  // windows overlap: a list of all would be long
  for (const std::int64_t at : ask.positions) {
    const std::int64_t plane = at / windows.output_plane();
    const std::int64_t first = plane / output[1] * input[1] + plane % output[1] / per_group * channels;
    for (std::int64_t channel = first; channel < first + channels; ++channel) {
      windows.for_each_tap(at % windows.output_plane(), [&](std::int64_t, std::int64_t source) {
        seen[static_cast<std::size_t>(channel * windows.input_plane() + source)] = true;
      });
    }
  }
  Positions wanted;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) wanted.push_back(static_cast<std::int64_t>(i));
  }
  return first_input_demand(ask, std::move(wanted));
}

std::vector<Needed> channel_demand(const Ask& ask) {
  return first_input_demand(ask, {ask.positions.begin(), ask.positions.end()});
}

std::int64_t filter_size(const Graph& graph, const Node& node) {
  const auto filter = extents_of(graph.type(node.inputs[1]).shape);
  return product_of(std::span(filter).subspan(1));
}

}  // namespace

constexpr Family<Op::kConv, Op::kAttention, Op::kBatchNormalization, Op::kGlobalAveragePool> kWindows({
    {Op::kConv, always<convolve_all>, window_demand, filter_size},
    {Op::kBatchNormalization, always<normalize_channels>, channel_demand},
    {Op::kMaxPool, always<pool_all>, window_demand},
    {Op::kAveragePool, always<pool_all>, window_demand},
});

}  // namespace fuselab::reference
