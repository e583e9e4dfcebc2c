// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/tiles_family.h"

#include <algorithm>
#include <string>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/channels_last.h"
#include "backends/codegen/matrix/product/lower_tiles.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kFewestResults = 8;        // along either side: fewer leave most of a unit idle
constexpr std::int64_t kOtherRegisters = 75;      // addresses and counters, by forty compilations of such kernels
constexpr std::int64_t kReservedBytes = 1024;     // of a block's shared memory, by the system
constexpr std::int64_t kBlocksOfLargeGpus = 132;  // fewer tiles leave multiprocessors idle

Support supports(const Graph& graph, const Target& target) {
  const Result<MatrixProduct> product = make_matrix_product(graph, target);
  if (!product.ok()) return Support::no(product.error().message);
  if (product.value().unit->is_amds()) return Support::no("the matrix units are not NVIDIA's");
  const Contraction& c = product.value().kernel.contraction;
  return c.m < kFewestResults || c.n < kFewestResults ? Support::no("too few rows or columns for tiles of a matrix unit")
                                                      : Support{};
}

// Returns the sizes of one side of a warp's tile that leave no more than half of the warps' rows without results.
Values sizes_up_to(std::int64_t extent) {
  Values sizes = {16};
  for (const std::int64_t size : {32, 64}) {
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
    if (!product.bytes && !product.is_joined() && each * kFewestSteps <= c.k && fits) splits.push_back(each);
  }
  return splits;
}

// The threads' own products have no place for a second product's columns.
bool may_be_plain(const MatrixProduct& product) {
  return find_plain_unit(*product.unit) != nullptr && !product.is_joined();
}

std::string registers_formula(const MatrixProduct& product) {
  const MatrixUnit& unit = *product.unit;
  return "warp_m * warp_n * " + std::to_string(unit.sums_of_result) + " / 32 + (warp_m + warp_n) * " +
         std::to_string(unit.registers_of_fragment) + " / 16 + " +
         (product.has_offsets() ? "warp_m / 4 + warp_n / 2 + "
          : product.norm        ? "warp_m / 8 + 16 + "
                                : "") +
         std::to_string(kOtherRegisters);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  const Contraction& c = product.kernel.contraction;
  const MatrixUnit& unit = *product.unit;
  ParameterSpace space;
  add_axis(space, "warps_m", "warps of a block along rows", {1, 2, 4});
  add_axis(space, "warps_n", "warps of a block along columns", {1, 2, 4});
  add_axis(space, "warp_m", "rows of a warp's tile", sizes_up_to(c.m));
  add_axis(space, "warp_n", "columns of a warp's tile", sizes_up_to(c.n * product.twins()));
  add_axis(space, "depth", "steps of k that a stage holds", {2 * unit.depth(), 4 * unit.depth()});
  add_axis(space, "stages", "stages of shared memory; all but one are filled while one is read", {2, 3, 4, 5, 6});
  add_axis(space, "min_blocks", "blocks that a multiprocessor is to hold, which bounds a thread's registers", {1, 2, 3});
  add_axis(space, "band", "rows of tiles that neighbouring blocks share in the second cache", {1, 4, 8, 16});
  add_axis(space, "splits", "blocks that share the depth of a tile", splits_of(product));
  if (find_channels_last(graph, product)) {
    add_axis(space, "layout", "images are 0: gathered element by element, 1: first laid out with channels last", {0, 1});
  }
  if (may_be_plain(product))
    add_axis(space, "plain", "f32 is multiplied 0: as three products of TF32, 1: by the threads themselves", {0, 1});
  const std::string stage = "(warps_m * warp_m + warps_n * warp_n" + std::string(product.norm ? " + 1" : "") + ") * depth * " +
                            std::to_string(bits_of(unit.operand) / 8);
  const std::int64_t shared = limit_of(target, "shared_per_sm_bytes", 65536), optin = limit_of(target, "shared_optin_bytes", 49152);
  add_rule(space, "stages * " + stage + " <= " + std::to_string(optin),
           "the stages do not fit the shared memory that a block may ask for");
  add_rule(space, "min_blocks * (stages * " + stage + " + " + std::to_string(kReservedBytes) + ") <= " + std::to_string(shared),
           "the blocks' stages do not fit a multiprocessor's shared memory");
  add_rule(space, "warp_m * warp_n * " + std::to_string(unit.sums_of_result) + " <= 4096", "the sums would not stay in registers");
  add_rule(space,
           "(" + registers_formula(product) +
               ") * warps_m * warps_n * 32 * min_blocks <= " + std::to_string(limit_of(target, "registers_per_sm", 65536)),
           "the blocks' registers do not fit a multiprocessor");
  if (product.right == Fetch::kTurned && unit.fewest_turned_columns > 16) {
    const std::string columns = std::to_string(unit.fewest_turned_columns);
    add_rule(space, "warps_n * warp_n >= " + columns,
             "such elements are read without bank conflicts from " + columns + " columns on");
  }
  return space;
}

// Returns what the blocks take to read images element by element, as bytes that could be moved in that time. An element takes some
// thirty instructions, and an H200 moves a byte in the time of seven.
std::int64_t bytes_of_gathering(const Contraction& c, std::int64_t tile_m) {
  constexpr std::int64_t kBytesOfElement = 4;
  return ceil_div(c.m, tile_m) * c.n * c.k * c.batches() * kBytesOfElement;
}

// Large tiles read operands least often; small ones keep every multiprocessor busy.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const MatrixProduct product = matrix_product_of(graph, target);
  const Contraction& c = product.kernel.contraction;
  const ParameterSpace axes = space(graph, target);
  const bool doubles = product.unit->sums_of_result > 1 || product.has_offsets();
  const auto blocks = [&](std::int64_t tile_m, std::int64_t tile_n) {
    return ceil_div(c.m, tile_m) * ceil_div(c.n * product.twins(), tile_n) * c.batches();
  };
  LaunchConfig config{{"warps_m", 2}, {"warps_n", 2}, {"depth", 2 * product.unit->depth()}, {"stages", 4}, {"min_blocks", 2},
                      {"band", 8},    {"splits", 1}};
  const bool large = blocks(128, doubles ? 64 : 128) >= kBlocksOfLargeGpus;
  // Behind a norm each warp prepares its rows, which fewer rows for more columns keep cheap.
  std::int64_t warp_m = large && !product.norm ? 64 : 32, warp_n = large && !doubles ? 64 : 32;
  while (warp_m > 16 && warp_m >= c.m) warp_m /= 2;
  const std::int64_t fewest = product.right == Fetch::kTurned ? std::max(16, product.unit->fewest_turned_columns / 2) : 16;
  while (warp_n > fewest && warp_n >= c.n * product.twins()) warp_n /= 2;
  for (const std::int64_t splits : splits_of(product)) {
    if (blocks(2 * warp_m, 2 * warp_n) * splits <= kBlocksOfLargeGpus) config.set("splits", splits);
  }
  config.set("warp_m", warp_m);
  config.set("warp_n", warp_n);
  if (may_be_plain(product)) config.set("plain", std::int64_t{0});
  if (const auto layout = find_channels_last(graph, product)) {
    const bool pays = bytes_laid_out(product, *layout) < bytes_of_gathering(c, 2 * warp_m);
    config.set("layout", std::int64_t{pays ? 1 : 0});
  }
  for (const std::int64_t stages : {3, 2}) {
    if (axes.check(config).ok()) break;
    config.set("stages", stages);
  }
  if (!axes.check(config).ok()) config.set("min_blocks", std::int64_t{1});
  return nearest(axes, {config});
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(MatrixProduct product, make_matrix_product(graph, target));
  if (config.integer("plain", 0) == 1 && may_be_plain(product)) product.unit = find_plain_unit(*product.unit);
  if (config.integer("layout", 0) == 1) {
    const std::optional<ChannelsLast> layout = find_channels_last(graph, product);
    if (!layout) return Error{ErrorCode::kInvalidArgument, "the piece has no images to lay out: use layout=0"};
    product = with_channels_last(std::move(product), *layout);
  }
  return lower_tiles(graph, product, config);
}

}  // namespace

Family matrix_tiles() {
  return {"matrix tiles", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
