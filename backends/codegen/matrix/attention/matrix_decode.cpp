// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/matrix_decode.h"

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/attention/attention_skeleton.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kRowsOfProduct = 16;
constexpr std::int64_t kFewestKeys = 256;         // fewer give the warps of a block no turns of their own
constexpr std::int64_t kLongestPair = 384;        // elements of a key and of its value
constexpr std::int64_t kBlocksOfLargeGpus = 264;  // two for each multiprocessor

// Batches that share their keys and values are the innermost ones.
struct Decode {
  AttentionUnits units;
  std::int64_t group = 1;
  std::int64_t rows() const { return group * units.attention.queries; }
  std::int64_t sources() const { return units.attention.batches() / group; }
};

Result<Decode> make_decode(const Graph& graph, const Target& target) {
  const auto refused = [](std::string why) { return Error{ErrorCode::kUnsupported, std::move(why)}; };
  Decode decode;
  FL_TRY(decode.units, make_attention_units(graph, target));
  if (decode.units.unit->is_amds()) return refused("the matrix units are not NVIDIA's");
  const Attention& a = decode.units.attention;
  for (std::size_t i = a.batch_extents.size(); i-- > 0;) {
    if (a.batch_extents[i] > 1 && (a.key.batches[i] != 0 || a.value.batches[i] != 0)) break;
    decode.group *= a.batch_extents[i];
  }
  if (decode.rows() > kRowsOfProduct) return refused("more queries share keys than a product has rows");
  if (a.depth + a.width > kLongestPair) return refused("queries and results of so long vectors would not stay in registers");
  if (a.keys < kFewestKeys) return refused("there are too few keys to share them out");
  return decode;
}

Decode decode_of(const Graph& graph, const Target& target) {
  Result<Decode> made = make_decode(graph, target);
  FL_ASSERT(made.ok());
  return std::move(made.value());
}

// What a block folds: largest score and sum of each warp's rows, and their results.
std::int64_t fold_bytes(const Attention& a, std::int64_t warps) {
  return kRowsOfProduct * (warps * 2 + (a.width / 8 | 1) * 8) * 4;
}

// The queries' bytes of shared memory: in registers, they would be there in parts.
std::int64_t query_bytes(const AttentionUnits& units) {
  return units.splits() ? kRowsOfProduct * ceil_div(units.attention.depth, 16) * 16 * 4 : 0;
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Decode> decode = make_decode(graph, target);
  if (!decode.ok()) return Support::no(decode.error().message);
  const AttentionUnits& units = decode.value().units;
  constexpr std::int64_t kLeastWarps = 2, kLeastStages = 2, kSmallestTile = 16;
  return have_room(kLeastStages * kLeastWarps * kSmallestTile * units.bytes_of_key() + query_bytes(units) +
                       fold_bytes(units.attention, kLeastWarps),
                   target);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Decode decode = decode_of(graph, target);
  const Attention& a = decode.units.attention;
  ParameterSpace space;
  add_axis(space, "tile_k", "keys that a warp takes at a time", {16, 32});
  add_axis(space, "warps", "warps of a block, each with keys of its own", {2, 4, 8});
  add_axis(space, "stages", "tiles of a warp in shared memory; all but one are filled while one is read", {2, 3, 4});
  add_axis(space, "parts", "blocks that share the keys; what several leave, a second launch merges", {1, 2, 4, 8, 16, 32, 64, 128});
  if (decode.units.mask_hides)
    add_axis(space, "skip_hidden", "1: keys that the mask hides from all queries are not read, 0: the mask is read once", {0, 1});
  add_axis(space, "min_blocks", "blocks that a multiprocessor is to hold, which bounds a thread's registers", {1, 2, 3});
  const std::string shared = "stages * warps * tile_k * " + std::to_string(decode.units.bytes_of_key()) + " + 128 * warps + " +
                             std::to_string(fold_bytes(a, 0) + query_bytes(decode.units));
  // By some compilations: results, queries, scores with the weights made of them, addresses.
  const std::string registers = decode.units.splits() ? std::to_string(a.width / 2 + 66) + " + tile_k * 5 / 2"
                                                      : std::to_string(a.width * 9 / 16 + a.depth / 4 + 32) + " + tile_k * 5 / 4";
  add_resource_rules(space, shared, registers, "warps * 32", target);
  add_rule(space, "tile_k * " + std::to_string(a.depth + a.width) + " <= 8192",
           "queries, scores and results would not stay in registers");
  add_rule(space, "parts == 1 || parts * warps * tile_k * 2 <= " + std::to_string(a.keys), "a part would have a single turn");
  return space;
}

// Enough parts to fill a large device, unless they become short.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Decode decode = decode_of(graph, target);
  std::int64_t parts = 1;
  while (parts < 128 && decode.sources() * parts < kBlocksOfLargeGpus && decode.units.attention.keys / (2 * parts) >= kFewestKeys)
    parts *= 2;
  std::vector<LaunchConfig> wished;
  for (const std::int64_t warps : {4, 2}) {
    for (const std::int64_t stages : {3, 2}) {
      for (const std::int64_t min_blocks : {2, 1})
        wished.push_back({{"tile_k", 16}, {"warps", warps}, {"stages", stages}, {"parts", parts}, {"min_blocks", min_blocks}});
    }
  }
  if (decode.units.mask_hides) {
    for (LaunchConfig& config : wished) config.set("skip_hidden", 1);
  }
  return nearest(space(graph, target), wished);
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const Decode decode, make_decode(graph, target));
  const Attention& a = decode.units.attention;
  const std::int64_t tile_k = config.integer("tile_k", 16), warps = config.integer("warps", 4);
  const std::int64_t stages = config.integer("stages", 2), parts = config.integer("parts", 1);
  Names names = names_beside_attention();
  Function function;
  function.parameters = name_parameters(graph, names);
  const std::string partials = names.unique("row_parts");
  if (parts > 1) {
    function.parameters.push_back({partials, DType::kF32, true});
    function.launch.scratch_bytes = decode.sources() * parts * decode.rows() * (a.width + 2) * 4;
  }
  function.skeleton = attention_skeleton(graph, decode.units, function.parameters, tile_k * warps);
  function.skeleton.files = {decode.units.text(), "attention_decode"};
  function.skeleton.definitions.push_back("FL_DEVICE float* fl_partials(const fl_arguments& in) {\n  return " +
                                          (parts > 1 ? "in." + partials : "nullptr") + ";\n}");
  for (const auto& [name, value] : {std::pair{"kTileK", tile_k},
                                    {"kWarps", warps},
                                    {"kStages", stages},
                                    {"kParts", parts},
                                    {"kQueriesStay", std::int64_t{!decode.units.splits()}},
                                    {"kSkips", config.integer("skip_hidden", 0)},
                                    {"kGroup", decode.group},
                                    {"kRows", decode.rows()}})
    function.skeleton.constants.emplace_back(name, value);
  function.launch.narrow = true;
  function.launch.threads = warps * 32;
  function.launch.min_blocks = config.integer("min_blocks", 1);
  function.launch.blocks = std::to_string(decode.sources() * parts);
  function.launch.shared_bytes =
      stages * warps * tile_k * decode.units.bytes_of_key() + query_bytes(decode.units) + fold_bytes(a, warps);
  BodyBuilder(function.body).invoke("fl_attention_part");
  if (parts > 1) {
    function.skeleton.files.emplace_back("attention_merge");
    Function merge;
    merge.parameters = function.parameters;
    merge.launch.narrow = true;
    merge.launch.threads = ceil_div(a.width, 32) * 32;
    merge.launch.blocks = std::to_string(a.batches() * a.queries);
    BodyBuilder(merge.body).invoke("fl_attention_merge");
    function.after.push_back(std::move(merge));
  }
  return function;
}

}  // namespace

Family matrix_decode() {
  return {"matrix decode", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
