// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/matrix_attention.h"

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/attention/attention_skeleton.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kQueriesOfWarp = 16;
constexpr std::int64_t kSmallestTileQ = 64, kSmallestTileK = 32;  // of a tile

AttentionUnits units_of(const Graph& graph, const Target& target) {
  Result<AttentionUnits> made = make_attention_units(graph, target);
  FL_ASSERT(made.ok());
  return std::move(made.value());
}

Support supports(const Graph& graph, const Target& target) {
  const Result<AttentionUnits> units = make_attention_units(graph, target);
  if (!units.ok()) return Support::no(units.error().message);
  const AttentionUnits& made = units.value();
  if (made.unit->is_amds()) return Support::no("the matrix units are not NVIDIA's");
  const std::int64_t queries = made.splits() ? kSmallestTileQ * made.bytes_of_row(made.attention.depth) : 0;
  return have_room(kSmallestTileK * made.bytes_of_key() + queries, target);
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
  add_axis(space, "tile_q", "queries of a block, 16 a warp", tiles_up_to({kSmallestTileQ, 128}, a.queries));
  // Weights are kept in parts, high and low: fewer keys leave room for them.
  add_axis(space, "tile_k", "keys that a block takes at a time",
           units.splits() ? tiles_up_to({kSmallestTileK, 64}, a.keys) : tiles_up_to({kSmallestTileK, 64, 128}, a.keys));
  add_axis(space, "stages", "tiles of keys and of values in shared memory; 1: keys arrive while values are read, and the reverse",
           {1, 2, 3});
  add_axis(space, "queries_stay", "1: queries stay in registers, 0: they are read from shared memory at each step",
           units.splits() ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, 1});
  if (units.hides())
    add_axis(space, "skip_hidden", "1: a warp leaves out the products of keys that none of its queries sees", {0, 1});
  add_axis(space, "min_blocks", "blocks that a multiprocessor is to hold, which bounds a thread's registers", {1, 2, 3, 4});
  const std::string shared = "stages * tile_k * " + std::to_string(units.bytes_of_key()) + " + (1 - queries_stay) * tile_q * " +
                             std::to_string(units.bytes_of_row(a.depth));
  // By some hundred compilations: results, queries, scores with the weights made of them, addresses.
  const std::string registers =
      units.splits() ? std::to_string(a.width / 2 + 64) + " + tile_k * 5 / 4"
                     : std::to_string(a.width * 9 / 16 + 32) + " + queries_stay * " + std::to_string(a.depth / 4) + " + tile_k";
  add_resource_rules(space, shared, registers, "tile_q * 2", target);
  return space;
}

// Tiles of 64 keep scores and results of heads up to 128 in registers; longer vectors leave room for fewer keys.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  const AttentionUnits units = units_of(graph, target);
  std::vector<LaunchConfig> wished;
  const auto wish = [&](std::int64_t tile_k, std::int64_t stays, std::int64_t stages, std::int64_t min_blocks) {
    if (tile_k > values_of(axes, "tile_k").back()) return;
    wished.push_back({{"tile_q", 64}, {"tile_k", tile_k}, {"stages", stages}, {"queries_stay", stays}, {"min_blocks", min_blocks}});
  };
  if (units.splits()) {
    for (const std::int64_t min_blocks : {3, 2, 1}) {
      for (const std::int64_t stages : {2, 1}) wish(32, 0, stages, min_blocks);
    }
  } else {
    for (const std::int64_t tile_k : {64, 32}) {
      for (const std::int64_t stays : {1, 0}) {
        // Where two blocks of two stages do not fit a multiprocessor, two of one stage hide more than one of two does.
        for (const auto& [stages, min_blocks] : {std::pair{2, 2}, {1, 2}, {2, 1}, {1, 1}}) wish(tile_k, stays, stages, min_blocks);
      }
    }
  }
  if (units.hides()) {
    for (LaunchConfig& config : wished) config.set("skip_hidden", 1);
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
  function.skeleton.files = {units.text(), "attention_mma"};
  for (const auto& [name, value] : {std::pair{"kTileQ", tile_q},
                                    {"kTileK", tile_k},
                                    {"kStages", stages},
                                    {"kQueriesStay", stay},
                                    {"kSkips", config.integer("skip_hidden", 0)}})
    function.skeleton.constants.emplace_back(name, value);
  function.launch.narrow = true;
  function.launch.threads = tile_q / kQueriesOfWarp * 32;
  function.launch.min_blocks = config.integer("min_blocks", 1);
  function.launch.blocks = std::to_string(ceil_div(a.queries, tile_q) * a.batches());
  function.launch.shared_bytes = stages * tile_k * units.bytes_of_key() + (1 - stay) * tile_q * units.bytes_of_row(a.depth);
  BodyBuilder(function.body).invoke("fl_attention");
  return function;
}

}  // namespace

Family matrix_attention() {
  return {"matrix attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
