// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/few_rows_family.h"

#include <algorithm>
#include <string>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/product_skeleton.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMostRows = 16;            // two groups of a unit's columns
constexpr std::int64_t kFewestColumns = 16;       // the rows of a unit
constexpr std::int64_t kReservedBytes = 1024;     // of a block's shared memory, by the system
constexpr std::int64_t kBlocksOfLargeGpus = 264;  // two for each multiprocessor
constexpr std::int64_t kStepsOfSplit = 256;
constexpr std::int64_t kFoldPad = 4;  // sums beside a row of those that warps add up, so that banks differ

Support supports(const Graph& graph, const Target& target) {
  const Result<MatrixProduct> made = make_matrix_product(graph, target);
  if (!made.ok()) return Support::no(made.error().message);
  const MatrixProduct& product = made.value();
  const Contraction& c = product.kernel.contraction;
  if (product.unit->is_amds()) return Support::no("the matrix units are not NVIDIA's");
  if (c.m > kMostRows) return Support::no("more than " + std::to_string(kMostRows) + " rows");
  if (c.n < kFewestColumns) return Support::no("fewer than " + std::to_string(kFewestColumns) + " columns");
  if (product.is_joined()) return Support::no("few rows of two products, or behind a norm, are not generated");
  return product.right == Fetch::kGather ? Support::no("the right operand does not lie in parts of 16 bytes") : Support{};
}

// Returns the numbers of blocks that may share the depth: each has steps to sum, and the scratch stays small beside the operands.
Values splits_of(const MatrixProduct& product) {
  const Contraction& c = product.kernel.contraction;
  constexpr std::int64_t kMostScratch = std::int64_t{256} << 20;
  Values splits = {1};
  for (const std::int64_t each : {2, 4, 8, 16, 32, 64}) {
    if (!product.bytes && each * kStepsOfSplit <= c.k && each * c.m * c.n * c.batches() * 4 <= kMostScratch) splits.push_back(each);
  }
  return splits;
}

// A tile's lines are steps of depth that hold columns, or columns that hold depth; either fills whole sectors of memory.
bool is_turned(const MatrixProduct& product) {
  return product.right == Fetch::kTurned;
}

std::int64_t depth_of(const MatrixProduct& product) {
  return is_turned(product) ? product.unit->depth() : 4 * product.unit->depth();
}

std::string bytes_formula(const MatrixProduct& product) {
  const Contraction& c = product.kernel.contraction;
  return "(warps * stages * tile_n * " + std::to_string(depth_of(product) * bits_of(product.unit->operand) / 8) + " + (tile_n + " +
         std::to_string(kFoldPad) + ") * " + std::to_string(ceil_div(c.m, 8) * 8 * 4) + ")";
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  ParameterSpace space;
  add_axis(space, "tile_n", "columns of a block", is_turned(product) ? Values{64, 128} : Values{16, 32});
  add_axis(space, "warps", "warps of a block, each with a part of the depth", {2, 4, 8});
  add_axis(space, "stages", "tiles of a warp that are under way or read", {2, 3, 4, 6});
  add_axis(space, "min_blocks", "blocks that a multiprocessor is to hold, which bounds a thread's registers", {1, 2, 3});
  add_axis(space, "splits", "blocks that share the depth", splits_of(product));
  add_rule(space, bytes_formula(product) + " <= " + std::to_string(limit_of(target, "shared_optin_bytes", 49152)),
           "the stages do not fit the shared memory that a block may ask for");
  add_rule(space,
           "min_blocks * (" + bytes_formula(product) + " + " + std::to_string(kReservedBytes) +
               ") <= " + std::to_string(limit_of(target, "shared_per_sm_bytes", 65536)),
           "the blocks' stages do not fit a multiprocessor's shared memory");
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  const Contraction& c = product.kernel.contraction;
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config{{"tile_n", is_turned(product) ? 128 : 32}, {"warps", 4}, {"stages", 6}, {"min_blocks", 2}, {"splits", 1}};
  const std::int64_t blocks = ceil_div(c.n, config.integer("tile_n", 1)) * c.batches();
  for (const std::int64_t splits : splits_of(product)) {
    if (config.integer("splits", 1) * blocks < kBlocksOfLargeGpus) config.set("splits", splits);
  }
  for (const std::int64_t stages : {4, 3, 2}) {
    if (axes.check(config).ok()) break;
    config.set("stages", stages);
  }
  return nearest(axes, {config});
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const MatrixProduct product, make_matrix_product(graph, target));
  const auto number = [&](const char* axis) { return config.integer(axis, 1); };
  const Contraction& c = product.kernel.contraction;
  const std::int64_t tile_n = number("tile_n"), depth = depth_of(product), warps = number("warps");
  ProductSkeleton skeleton(graph, product, number("splits"), 1);
  std::vector<std::string> files = {std::string(product.unit->skeleton), right_text(product)};
  if (product.bytes) files.emplace_back("few_zero_points");
  files.emplace_back("few_rows_mma");
  Function function = skeleton.function("fl_few_rows", std::move(files),
                                        {{"kRightTurned", is_turned(product)},
                                         {"kTileN", tile_n},
                                         {"kTileK", depth},
                                         {"kWarps", warps},
                                         {"kStages", number("stages")}});
  function.launch.threads = warps * 32;
  function.launch.min_blocks = number("min_blocks");
  function.launch.blocks = std::to_string(ceil_div(c.n, tile_n) * c.batches() * number("splits"));
  function.launch.shared_bytes = warps * number("stages") * tile_n * depth * bits_of(product.unit->operand) / 8 +
                                 ceil_div(c.m, 8) * 8 * (tile_n + kFoldPad) * 4;
  return function;
}

}  // namespace

Family matrix_few_rows() {
  return {"matrix few rows", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
