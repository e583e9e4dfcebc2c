// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/matrix_attention.h"

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/attention/attention_skeleton.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kQueriesOfWarp = 16;

AttentionUnits units_of(const Graph& graph, const Target& target) {
  Result<AttentionUnits> made = make_attention_units(graph, target);
  FL_ASSERT(made.ok());
  return std::move(made.value());
}

Support supports(const Graph& graph, const Target& target) {
  const Result<AttentionUnits> units = make_attention_units(graph, target);
  if (!units.ok()) return Support::no(units.error().message);
  return {};
}

std::vector<std::int64_t> tiles_up_to(std::initializer_list<std::int64_t> sizes, std::int64_t extent) {
  std::vector<std::int64_t> tiles;
  for (const std::int64_t size : sizes) {
    if (tiles.empty() || size < 2 * extent) tiles.push_back(size);
  }
  return tiles;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const AttentionUnits units = units_of(graph, target);
  const Attention& a = units.attention;
  ParameterSpace space;
  add_axis(space, "tile_q", "queries of a block, 16 a warp", tiles_up_to({64, 128}, a.queries));
  add_axis(space, "tile_k", "keys that a block takes at a time", tiles_up_to({32, 64, 128}, a.keys));
  add_axis(space, "stages", "tiles of keys and of values in shared memory; 1: keys arrive while values are read, and the reverse",
           {1, 2, 3});
  add_axis(space, "queries_stay", "1: queries stay in registers, 0: they are read from shared memory at each step", {0, 1});
  add_axis(space, "min_blocks", "blocks that a multiprocessor is to hold, which bounds a thread's registers", {1, 2, 3, 4});
  const std::string shared =
      "stages * tile_k * " + bytes_of_key(a) + " + (1 - queries_stay) * tile_q * " + std::to_string(bytes_of_row(a.depth));
  // By some hundred compilations: results, queries, scores with the weights made of them, addresses.
  const std::string registers =
      std::to_string(a.width * 9 / 16 + 32) + " + queries_stay * " + std::to_string(a.depth / 4) + " + tile_k * 5 / 4";
  add_resource_rules(space, shared, registers, "tile_q * 2", target);
  return space;
}

// Tiles of 64 keep scores and results of heads up to 128 in registers; longer vectors leave room for fewer keys.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  std::vector<LaunchConfig> wished;
  for (const std::int64_t tile_k : {64, 32}) {
    if (tile_k > values_of(axes, "tile_k").back()) continue;
    for (const std::int64_t stays : {1, 0}) {
      // Where two blocks of two stages do not fit a multiprocessor, two of one stage hide more than one of two does.
      for (const auto& [stages, min_blocks] : {std::pair{2, 2}, {1, 2}, {2, 1}, {1, 1}})
        wished.push_back(
            {{"tile_q", 64}, {"tile_k", tile_k}, {"stages", stages}, {"queries_stay", stays}, {"min_blocks", min_blocks}});
    }
  }
  return nearest(axes, wished);
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const AttentionUnits units, make_attention_units(graph, target));
  const Attention& a = units.attention;
  const std::int64_t tile_q = config.integer("tile_q", 64), tile_k = config.integer("tile_k", 64);
  const std::int64_t stages = config.integer("stages", 2), stay = config.integer("queries_stay", 1);
  Names names = names_beside_attention();
  Function function;
  function.parameters = name_parameters(graph, names);
  function.skeleton = attention_skeleton(graph, units, function.parameters, tile_k);
  function.skeleton.files = {"attention_mma"};
  for (const auto& [name, value] : {std::pair{"kTileQ", tile_q},
                                    {"kTileK", tile_k},
                                    {"kStages", stages},
                                    {"kQueriesStay", stay},
                                    {"kCausal", std::int64_t{a.causal}}})
    function.skeleton.constants.emplace_back(name, value);
  function.launch.narrow = true;
  function.launch.threads = tile_q / kQueriesOfWarp * 32;
  function.launch.min_blocks = config.integer("min_blocks", 1);
  function.launch.blocks = std::to_string(ceil_div(a.queries, tile_q) * a.batches());
  function.launch.shared_bytes =
      stages * tile_k * (bytes_of_row(a.depth) + bytes_of_row(a.width)) + (1 - stay) * tile_q * bytes_of_row(a.depth);
  BodyBuilder(function.body).invoke("fl_attention");
  return function;
}

}  // namespace

Family matrix_attention() {
  return {"matrix attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
