// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/convolution_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/convolution/lower_convolution.h"
#include "backends/codegen/cpu/convolution/lower_winograd.h"
#include "backends/codegen/cpu/convolution/padded_image.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/kernel/drawback.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

// Pixels from which a 1×1 convolution is written as a product, whose strips read the image along its rows. Measured at 7×7, 14×14
// and 56×56 only; the border between the last two is a guess.
constexpr std::int64_t kPixelsOfProduct = 784;

bool is_product(const Contraction& c) {
  return c.windows.is_pointwise() && c.n >= kPixelsOfProduct && c.n % 16 == 0 && c.m >= 8;
}

Result<ContractionKernel> make_convolution(const Graph& graph) {
  FL_TRY(ContractionKernel kernel, make_contraction(graph));
  if (kernel.contraction.node->op != Op::kConv) return unsupported(*kernel.contraction.node, "no convolution");
  if (is_product(kernel.contraction)) return unsupported(*kernel.contraction.node, "a product of matrices");
  return kernel;
}

Support supports(const Graph& graph, const Target&) {
  const Result<ContractionKernel> kernel = make_convolution(graph);
  return kernel.ok() ? Support{} : Support::no(kernel.error().message);
}

Values up_to(const Values& wanted, std::int64_t most) {
  Values values;
  for (const std::int64_t value : wanted) {
    if (value <= most || values.empty()) values.push_back(value);
  }
  return values;
}

void include(Values& values, std::int64_t value) {
  values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Registers for sums and weights. Some are left for pixels: with 28 sums of 32 registers GCC 12 keeps more of them than there is
// room for and the kernel runs at 70 % of its speed.
std::int64_t registers_of(const Target& target) {
  return limit_of(target, "vector_bytes", 16) == 64 ? 30 : 15;
}

// Sums and pixels of a tile with channels in its lanes: 12 × 2 is a fifth slower than 10 × 2 and 8 × 3.
std::int64_t registers_and_pixels(const Target& target) {
  return limit_of(target, "vector_bytes", 16) == 64 ? 34 : 17;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_convolution(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  const Windows& w = c.windows;
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", vector_widths(target, c.compute));
  const bool may_pack = has_constant_weights(graph, made.value()) && c.m > 1;
  add_axis(space, "channels_in_lanes",
           "1: a register holds channels of one pixel, with weights laid out ahead, 0: pixels of one channel",
           may_pack ? Values{0, 1} : Values{0});
  const std::int64_t most = may_pack ? std::max(c.m, w.out_width) : c.m;
  if (has_winograd_form(graph, made.value())) {
    add_axis(space, std::string(kWinogradParameter), "1: Winograd's F(4x4,3x3), whose error is larger, 0: a direct sum", {0, 1});
  }
  add_axis(space, "tile_m", "pixels, or channels, that share a load", up_to({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}, most));
  add_axis(space, "tile_n", "registers of channels, or of pixels", {1, 2, 3, 4, 6, 8});
  Values blocks = up_to({32, 64, 128, 256}, w.channels - 1);
  if (blocks.front() >= w.channels) blocks.clear();
  include(blocks, w.channels);
  add_axis(space, "channel_block", "image channels that are summed before the next tile", blocks);
  Values rows = up_to({1, 2, 4, 8, 16, 32, 64}, w.out_height);
  include(rows, w.out_height);
  include(rows, ceil_div(w.out_height, limit_of(target, "cores", 1)));
  add_axis(space, "rows_per_task", "result rows that one task handles", rows);
  add_axis(space, "channel_parts", "tasks that share their rows, each for some of the channels",
           up_to({1, 2, 4, 8, 16, 32, 64}, ceil_div(c.m, 8)));
  add_axis(space, "threads", "threads that share the tasks",
           thread_counts(target, c.batches() * w.out_depth * w.out_height * ceil_div(c.m, 8)));
  add_rule(space, "tile_m * tile_n + tile_n < " + std::to_string(registers_of(target)),
           "sums and operands must fit the registers, beside pixels that compilers keep between window places");
  if (may_pack) {
    add_rule(space, "channels_in_lanes == 0 || tile_m * tile_n + tile_m < " + std::to_string(registers_and_pixels(target)),
             "pixels are kept in registers between window places");
  }
  if (may_pack && blocks.size() > 1) {
    add_rule(space, "channels_in_lanes == 1 || channel_block == " + std::to_string(w.channels),
             "pixels of one channel are summed over all image channels at once");
  }
  return space;
}

// Estimates of a configuration's work, in cycles of a core that starts two multiply-adds of registers in each. Its constants are
// those of current x86 cores: latency of a multiply-add 4, loads per cycle 2.
class Estimate {
 public:
  Estimate(const ContractionKernel& kernel, const Target& target, std::int64_t lanes)
      : c_(kernel.contraction), w_(c_.windows), target_(target), lanes_(lanes) {}

  // Cycles of one pass over the window's places for a tile: arithmetic, its latency, loads, registers from the second cache.
  static double step(std::int64_t m, std::int64_t n, double loads) {
    return std::max({static_cast<double>(m * n) / 2, 4.0, loads / 2, static_cast<double>(2 * n)}) + 0.25;
  }

  // Cycles for one result row of all channels, for each element of the sums.
  double row(bool by_channels, std::int64_t m, std::int64_t n) const {
    const auto k = static_cast<double>(c_.k);
    if (by_channels) {
      const std::int64_t rest = w_.out_width % m;
      const double pixels = static_cast<double>(w_.out_width / m) * step(m, n, static_cast<double>(m + n)) +
                            (rest > 0 ? step(rest, n, static_cast<double>(rest + n)) : 0.0);
      // Each sum is stored, turned around and loaded again.
      const double turning = static_cast<double>(w_.out_width * n) * 6;
      return static_cast<double>(ceil_div(c_.m, n * lanes_)) * (k * pixels + turning);
    }
    const std::int64_t line = w_.out_width + (w_.kernel_width - 1) * w_.dilation_x / (w_.kernel_width == 1 ? 1 : w_.stride_x);
    // Registers that cross a cache line load at half speed.
    const auto tile = [&](std::int64_t channels) { return step(channels, n, static_cast<double>(channels + 2 * n)); };
    const double strips = static_cast<double>(line) / static_cast<double>(n * lanes_);
    const std::int64_t rest = c_.m % m;
    const double each = static_cast<double>(c_.m / m) * tile(m) + (rest > 0 ? tile(rest) : 0.0);
    return std::max(strips, 1.0) * each * k + static_cast<double>(c_.m * ceil_div(w_.out_width, lanes_)) * 4;
  }

  // Cycles of the busiest thread, for this cut.
  double busiest(double row, std::int64_t rows, std::int64_t parts, std::int64_t threads) const {
    const std::int64_t blocks = ceil_div(w_.out_height, rows);
    const std::int64_t tasks = c_.batches() * w_.out_depth * blocks * parts;
    const std::int64_t lines = reach_of(rows, w_.stride_y, w_.kernel_height, w_.dilation_y);
    const double image =
        static_cast<double>(w_.channels * lines) * (8 + static_cast<double>(w_.width) / static_cast<double>(lanes_) * 2);
    const double weights = static_cast<double>(c_.m * c_.k) / static_cast<double>(parts * lanes_) * 3;
    double task = row * static_cast<double>(rows) / static_cast<double>(parts) + image + weights + 500;
    const std::int64_t held = w_.channels * lines * (w_.width + w_.kernel_width) * bits_of(c_.compute) / 8;
    if (held > limit_of(target_, "l2_bytes", std::int64_t{1} << 20)) task *= 1.2;
    return task * static_cast<double>(ceil_div(tasks, threads));
  }

 private:
  const Contraction& c_;
  const Windows& w_;
  const Target& target_;
  std::int64_t lanes_;
};

// Weights of one block of channels that may be in use at a time: they share the second cache with the image.
std::int64_t block_that_fits(const Contraction& c, const Values& blocks, std::int64_t panel, const Target& target) {
  const std::int64_t most = limit_of(target, "l2_bytes", std::int64_t{1} << 20) / 8;
  const std::int64_t bytes = c.k / c.windows.channels * panel * bits_of(c.compute) / 8;
  std::int64_t chosen = blocks.front();
  for (const std::int64_t block : blocks) {
    if (block * bytes <= most) chosen = block;
  }
  return chosen;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_convolution(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  const ParameterSpace axes = space(graph, target);
  const std::int64_t lanes = values_of(axes, "vector").back();
  const std::int64_t threads = values_of(axes, "threads").back();
  const Estimate estimate(made.value(), target, lanes);
  LaunchConfig config;
  double least = std::numeric_limits<double>::infinity();
  double row = 0;
  for (const std::int64_t by_channels : values_of(axes, "channels_in_lanes")) {
    for (const std::int64_t m : values_of(axes, "tile_m")) {
      for (const std::int64_t n : values_of(axes, "tile_n")) {
        if (m * n + n >= registers_of(target)) continue;
        if (by_channels != 0 && m * n + m >= registers_and_pixels(target)) continue;
        const double cycles = estimate.row(by_channels != 0, m, n);
        if (cycles >= least) continue;
        least = row = cycles;
        config = {{"vector", lanes}, {"threads", threads}, {"channels_in_lanes", by_channels}, {"tile_m", m}, {"tile_n", n}};
      }
    }
  }
  const bool by_channels = config.integer("channels_in_lanes", 0) != 0;
  if (has_winograd_form(graph, made.value())) config.set(std::string(kWinogradParameter), 0);
  config.set("channel_block",
             by_channels ? block_that_fits(c, values_of(axes, "channel_block"), config.integer("tile_n", 1) * lanes, target)
                         : c.windows.channels);
  least = std::numeric_limits<double>::infinity();
  for (const std::int64_t rows : values_of(axes, "rows_per_task")) {
    for (const std::int64_t parts : values_of(axes, "channel_parts")) {
      const double cycles = estimate.busiest(row, rows, parts, threads);
      if (cycles >= least) continue;
      least = cycles;
      config.set("rows_per_task", rows);
      config.set("channel_parts", parts);
    }
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(ContractionKernel kernel, make_convolution(graph));
  if (config.integer(kWinogradParameter, 0) != 0) return lower_winograd(graph, kernel, config);
  return lower_convolution(graph, kernel, config);
}

}  // namespace

Family convolution_family() {
  return {"convolution", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
