// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/windows_family.h"

#include <algorithm>
#include <string>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/product_skeleton.h"
#include "backends/codegen/matrix/product/window_constants.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMostRows = 7;         // of weights in a group: more are for matrix units
constexpr std::int64_t kMostTaps = 64;        // of a plane of the window: a thread keeps their weights
constexpr std::int64_t kMostProducts = 2048;  // of a thread for each plane: they are written out
constexpr std::int64_t kThreadsOfLargeGpus = 132 * 1024;

// Returns the largest power of two up to `most` that divides the extent.
std::int64_t divisor_of(std::int64_t extent, std::int64_t most) {
  while (extent % most != 0) most /= 2;
  return most;
}

// A thread takes windows of any size.
Result<MatrixProduct> make_product(const Graph& graph, const Target& target) {
  return make_matrix_product(graph, target, 1);
}

Support supports(const Graph& graph, const Target& target) {
  const Result<MatrixProduct> made = make_product(graph, target);
  if (!made.ok()) return Support::no(made.error().message);
  const Contraction& c = made.value().kernel.contraction;
  if (c.node == nullptr || c.node->op != Op::kConv || c.layout != RightLayout::kWindows)
    return Support::no("no windows over an image");
  if (made.value().kernel.computes(Side::kRight))
    return Support::no("strips of an image that the kernel computes are not generated");
  if (c.m > kMostRows) return Support::no("more than " + std::to_string(kMostRows) + " rows of weights in a group");
  const std::int64_t taps = c.windows.kernel_height * c.windows.kernel_width;
  return taps > kMostTaps ? Support::no("a window of more than " + std::to_string(kMostTaps) + " weights") : Support{};
}

// Returns the sizes of a strip that leave less than half of it without results.
Values sizes_up_to(std::int64_t extent, std::int64_t most) {
  Values sizes = {1};
  for (std::int64_t size = 2; size <= most && size < 2 * extent; size *= 2) sizes.push_back(size);
  return sizes;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Windows w = make_product(graph, target).value().kernel.contraction.windows;
  ParameterSpace space;
  add_axis(space, "across", "neighbouring results of a line that a thread makes", sizes_up_to(w.out_width, 8));
  add_axis(space, "down", "lines of results that a thread makes", sizes_up_to(w.out_height, 8));
  add_axis(space, "block", "threads per block", {64, 128, 256});
  const std::string span =
      "((across - 1) * " + std::to_string(w.stride_x) + " + " + std::to_string((w.kernel_width - 1) * w.dilation_x + 1) + ")";
  const std::int64_t taps = w.kernel_height * w.kernel_width;
  add_rule(space, "across * down + " + span + " + " + std::to_string(taps) + " <= 144",
           "the strip and its weights would not stay in registers");
  add_rule(space, "across * down * " + std::to_string(taps) + " <= " + std::to_string(kMostProducts) + " || across * down == 1",
           "the products of a thread would not fit the instruction cache");
  return space;
}

// Large strips read a line of the image least often; small ones keep every multiprocessor busy.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Contraction c = make_product(graph, target).value().kernel.contraction;
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config{{"across", 1}, {"down", 1}, {"block", 128}};
  std::int64_t least = 0;
  for (const std::int64_t across : values_of(axes, "across")) {
    for (const std::int64_t down : values_of(axes, "down")) {
      LaunchConfig tried = config;
      tried.set("across", across);
      tried.set("down", down);
      const std::int64_t threads =
          c.batches() * c.m * c.windows.out_depth * ceil_div(c.windows.out_height, down) * ceil_div(c.windows.out_width, across);
      const bool is_larger = across * down > least || (across * down == least && across > down);
      if (across * down > 32 || !is_larger || !axes.check(tried).ok()) continue;
      if (across * down > 1 && down > 1 && threads < kThreadsOfLargeGpus) continue;
      least = across * down;
      config = tried;
    }
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const MatrixProduct product, make_product(graph, target));
  const Contraction& c = product.kernel.contraction;
  const Windows& w = c.windows;
  const std::int64_t across = config.integer("across", 1), down = config.integer("down", 1), block = config.integer("block", 64);
  const std::int64_t part = product.unit->part();
  const std::int64_t lanes = divisor_of(w.out_width, std::min(part, across));
  std::vector<std::pair<std::string, std::int64_t>> constants = window_constants(w);
  constants.insert(constants.end(), {{"kChannels", w.channels / w.kernel_depth},
                                     {"kOutDepth", w.out_depth},
                                     {"kAcross", across},
                                     {"kDown", down},
                                     {"kThreads", block},
                                     {"kRead", divisor_of(w.width, divisor_of(across * w.stride_x, part))}});
  ProductSkeleton skeleton(graph, product, 1, static_cast<int>(lanes));
  Function function = skeleton.function("fl_windows", {"windows_strips"}, constants);
  const std::int64_t strips = c.batches() * c.m * w.out_depth * ceil_div(w.out_height, down) * ceil_div(w.out_width, across);
  function.launch.threads = block;
  function.launch.blocks = std::to_string(ceil_div(strips, block));
  return function;
}

}  // namespace

Family window_strips() {
  return {"window strips", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
