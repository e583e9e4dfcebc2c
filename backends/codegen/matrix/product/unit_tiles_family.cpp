// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/unit_tiles_family.h"

#include <algorithm>
#include <string>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/matrix_product.h"
#include "backends/codegen/matrix/product/product_skeleton.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kFewestResults = 8;        // along either side: fewer leave most of a unit idle
constexpr std::int64_t kOtherRegisters = 60;      // addresses and counters
constexpr std::int64_t kMostRegisters = 256;      // of a thread: more would leave accumulators as the only room
constexpr std::int64_t kBlocksOfLargeGpus = 208;  // fewer tiles leave compute units of an MI300X idle

Support supports(const Graph& graph, const Target& target) {
  const Result<MatrixProduct> product = make_matrix_product(graph, target);
  if (!product.ok()) return Support::no(product.error().message);
  if (!product.value().unit->is_amds()) return Support::no("the matrix units are not AMD's");
  const Contraction& c = product.value().kernel.contraction;
  return c.m < kFewestResults || c.n < kFewestResults ? Support::no("too few rows or columns for tiles of a matrix unit")
                                                      : Support{};
}

// Returns the sizes of one side of a wavefront's tile that leave no more than half of its lines without results.
Values sizes_up_to(std::int64_t lines, std::int64_t extent) {
  Values sizes = {lines};
  for (std::int64_t size = 2 * lines; size <= 64; size *= 2) {
    if (size < 2 * extent) sizes.push_back(size);
  }
  return sizes;
}

// Returns the numbers of blocks that may share the depth: each has steps to sum, and the scratch stays small beside the operands.
Values splits_of(const MatrixProduct& product) {
  constexpr std::int64_t kFewestSteps = 128, kMostScratch = std::int64_t{256} << 20;
  const Contraction& c = product.kernel.contraction;
  Values splits = {1};
  for (const std::int64_t each : {2, 4, 8, 16}) {
    const bool fits = each * c.m * c.n * c.batches() * 4 <= kMostScratch;
    if (!product.bytes && each * kFewestSteps <= c.k && fits) splits.push_back(each);
  }
  return splits;
}

// Sums, what is on its way to the next stage, and what a product reads; a part is four registers.
std::string registers_formula(const MatrixProduct& product) {
  const MatrixUnit& unit = *product.unit;
  const std::string lanes = std::to_string(unit.lanes), lines = std::to_string(unit.lines);
  const std::string threads = "(warps_m * warps_n * " + lanes + ")";
  const std::int64_t read = std::max<std::int64_t>(4, unit.each * bits_of(unit.operand) / 32);
  const std::string sums = "warp_m * warp_n / " + lanes;
  return sums + (product.has_offsets() ? " + warp_n * " + lines + " / " + lanes + " + warp_m / " + lines : "") +
         " + (warps_m * warp_m + warps_n * warp_n) * depth * " + std::to_string(bits_of(unit.operand)) + " / 32 / " + threads +
         " + (warp_m + warp_n) * " + std::to_string(read) + " / " + lines + " + " + std::to_string(kOtherRegisters);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  const Contraction& c = product.kernel.contraction;
  const MatrixUnit& unit = *product.unit;
  ParameterSpace space;
  add_axis(space, "warps_m", "wavefronts of a block along rows", {1, 2, 4});
  add_axis(space, "warps_n", "wavefronts of a block along columns", {1, 2, 4});
  add_axis(space, "warp_m", "rows of a wavefront's tile", sizes_up_to(unit.lines, c.m));
  add_axis(space, "warp_n", "columns of a wavefront's tile", sizes_up_to(unit.lines, c.n));
  add_axis(space, "depth", "steps of k that a stage holds", {4 * unit.part(), 8 * unit.part()});
  add_axis(space, "stages", "stages of shared memory; with two, one is filled while the other is read", {1, 2});
  add_axis(space, "band", "rows of tiles that neighbouring blocks share in the second cache", {1, 4, 8, 16});
  add_axis(space, "splits", "blocks that share the depth of a tile", splits_of(product));
  const std::string registers = registers_formula(product), lanes = std::to_string(unit.lanes);
  add_rule(space,
           "stages * (warps_m * warp_m + warps_n * warp_n) * depth * " + std::to_string(bits_of(unit.operand) / 8) +
               " <= " + std::to_string(limit_of(target, "shared_bytes", 65536)),
           "the stages do not fit the shared memory that a block may have");
  add_rule(space, registers + " <= " + std::to_string(kMostRegisters), "the sums would not stay in registers");
  add_rule(space,
           "(" + registers + ") * warps_m * warps_n * " + lanes +
               " <= " + std::to_string(limit_of(target, "registers_per_block", 131072)),
           "a block's registers do not fit a compute unit");
  if (product.right == Fetch::kTurned) {
    const std::string part = std::to_string(unit.part());
    add_rule(space, "warps_n * warp_n / " + part + " * depth / 4 * 4 >= warps_m * warps_n * " + lanes,
             "most threads would bring nothing of the right operand");
  }
  return space;
}

// Large tiles read operands least often; small ones keep every compute unit busy.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  const Contraction& c = product.kernel.contraction;
  const MatrixUnit& unit = *product.unit;
  const ParameterSpace axes = space(graph, target);
  const auto blocks = [&](std::int64_t tile) { return ceil_div(c.m, tile) * ceil_div(c.n, tile) * c.batches(); };
  const std::int64_t wanted = blocks(128) >= kBlocksOfLargeGpus && !product.has_offsets() ? 64 : 32;
  // Turning gives every thread something to do with deeper stages; of bytes it takes too many registers.
  const bool turns_halves = product.right == Fetch::kTurned && !product.bytes;
  LaunchConfig config{{"warps_m", 2}, {"warps_n", 2}, {"depth", (turns_halves ? 8 : 4) * unit.part()},
                      {"stages", 1},  {"band", 8},    {"splits", 1}};
  std::int64_t warp_m = wanted, warp_n = wanted;
  while (warp_m > unit.lines && warp_m >= c.m) warp_m /= 2;
  while (warp_n > unit.lines && warp_n >= c.n) warp_n /= 2;
  for (const std::int64_t splits : splits_of(product)) {
    if (ceil_div(c.m, 2 * warp_m) * ceil_div(c.n, 2 * warp_n) * c.batches() * splits <= kBlocksOfLargeGpus)
      config.set("splits", splits);
  }
  config.set("warp_m", warp_m);
  config.set("warp_n", warp_n);
  return nearest(axes, {config});
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const MatrixProduct product, make_matrix_product(graph, target));
  const auto number = [&](const char* axis) { return config.integer(axis, 1); };
  const Contraction& c = product.kernel.contraction;
  const MatrixUnit& unit = *product.unit;
  const std::int64_t tile_m = number("warps_m") * number("warp_m"), tile_n = number("warps_n") * number("warp_n");
  ProductSkeleton skeleton(graph, product, number("splits"), product.lanes);
  Function function = skeleton.function(
      "fl_tiles", {std::string("unit"), right_text(product), product.bytes ? "zero_points" : "no_zero_points", "tiles"},
      {{"kUnitLines", unit.lines},
       {"kUnitLanes", unit.lanes},
       {"kUnitEach", unit.each},
       {"kLeftGathered", product.left == Fetch::kGather},
       {"kLeftAcross", product.left_across},
       {"kRightGathered", product.right == Fetch::kGather},
       {"kRightAcross", product.right_across},
       {"kRightTurned", product.right == Fetch::kTurned},
       {"kWarpsM", number("warps_m")},
       {"kWarpsN", number("warps_n")},
       {"kWarpM", number("warp_m")},
       {"kWarpN", number("warp_n")},
       {"kTileM", tile_m},
       {"kTileN", tile_n},
       {"kTileK", number("depth")},
       {"kStages", number("stages")},
       {"kBand", number("band")}});
  function.launch.threads = number("warps_m") * number("warps_n") * unit.lanes;
  function.launch.blocks = std::to_string(ceil_div(c.m, tile_m) * ceil_div(c.n, tile_n) * c.batches() * number("splits"));
  function.launch.shared_bytes = number("stages") * (tile_m + tile_n) * number("depth") * bits_of(unit.operand) / 8;
  return function;
}

}  // namespace

Family unit_tiles() {
  return {"unit tiles", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
