// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/lower_tiles.h"

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/channels_last.h"
#include "backends/codegen/matrix/product/product_skeleton.h"

namespace fuselab::codegen {

Function lower_tiles(const Graph& graph, const MatrixProduct& product, const LaunchConfig& config) {
  const auto number = [&](const char* axis) { return config.integer(axis, 1); };
  const Contraction& c = product.kernel.contraction;
  const std::int64_t splits = number("splits"), depth = number("depth"), stages = number("stages");
  const std::int64_t tile_m = number("warps_m") * number("warp_m"), tile_n = number("warps_n") * number("warp_n");
  ProductSkeleton skeleton(graph, product, splits, product.lanes);
  std::vector<std::string> files = {std::string(product.unit->skeleton)};
  if (product.channels_last) files.emplace_back("channels_last");
  if (!product.twin) files.insert(files.end(), {right_text(product), "one_product"});
  if (product.twin) files.emplace_back("twins");
  files.emplace_back(product.norm ? "normed_rows" : "no_norm");
  if (product.bytes) files.emplace_back("zero_points");
  files.emplace_back("tiles_mma");
  Function function = skeleton.function("fl_tiles", std::move(files),
                                        {{"kLeftGathered", product.left == Fetch::kGather},
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
                                         {"kTileK", depth},
                                         {"kStages", stages},
                                         {"kBand", number("band")}});
  function.launch.threads = number("warps_m") * number("warps_n") * 32;
  function.launch.min_blocks = number("min_blocks");
  function.launch.blocks = std::to_string(ceil_div(c.m, tile_m) * ceil_div(c.n * product.twins(), tile_n) * c.batches() * splits);
  function.launch.shared_bytes = stages * (tile_m + tile_n + (product.norm ? 1 : 0)) * depth * bits_of(product.unit->operand) / 8;
  return product.channels_last ? lay_out_before(std::move(function), product) : function;
}

}  // namespace fuselab::codegen
