// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/attention/unit_attention.h"

#include <algorithm>
#include <string>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/attention/attention_skeleton.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kFewestQueries = 8;  // fewer leave most of a unit idle
// Of a thread as Extents counts them. By some thirty compilations clang takes so much more for a wavefront of 32 lanes, and more
// still where a lane gives all of a product's depth.
constexpr std::int64_t kMostRegisters = 256, kMostOfNarrow = 204, kMostOfTwice = 172;
constexpr std::int64_t kOtherRegisters = 60;  // addresses and counters
constexpr std::int64_t kPartBytes = 16;

// What a block holds, in parts of 16 bytes (hip/skeletons/stage.h).
struct Extents {
  Attention attention;
  const MatrixUnit* unit;

  std::int64_t part() const { return unit->part(); }
  bool is_twice() const { return unit->lanes == 32 && unit->each == 16; }  // lanes' halves give the same
  std::int64_t groups() const { return is_twice() ? 1 : unit->lanes / unit->lines; }
  std::int64_t most_registers() const { return is_twice() ? kMostOfTwice : unit->lanes == 32 ? kMostOfNarrow : kMostRegisters; }
  std::int64_t read() const { return std::max<std::int64_t>(unit->each, part()); }
  std::int64_t depth_parts() const { return ceil_div(attention.depth, groups() * read()) * groups() * read() / part(); }
  std::int64_t width_lines() const { return ceil_div(attention.width, std::int64_t{unit->lines}) * unit->lines; }
  static std::int64_t pitch(std::int64_t parts) { return (parts & (parts - 1)) == 0 ? parts : parts | 1; }
  std::int64_t shared_bytes(std::int64_t warps, std::int64_t tile_k) const {
    const std::int64_t keys = pitch(tile_k / part());
    return kPartBytes * (tile_k * pitch(depth_parts()) + (width_lines() + warps * unit->lines) * keys);
  }
  // Results, scores, queries, and what is on its way to the next tile; a part is four registers.
  std::int64_t registers(std::int64_t warps, std::int64_t tile_k) const {
    const std::int64_t threads = warps * unit->lanes, sums = unit->lines * (width_lines() + tile_k) / unit->lanes;
    const std::int64_t queries = depth_parts() * 4 / groups();
    const std::int64_t keys = ceil_div(tile_k * depth_parts(), threads) * 4;
    const std::int64_t values = ceil_div(width_lines() / part() * tile_k / 4, threads) * 16;
    return sums + queries + keys + values + kOtherRegisters;
  }
};

Result<Extents> extents_of(const Graph& graph, const Target& target) {
  FL_TRY(AttentionUnits units, make_attention_units(graph, target));
  if (!units.unit->is_amds()) return Error{ErrorCode::kUnsupported, "the matrix units are not AMD's"};
  return Extents{std::move(units.attention), units.unit};
}

std::vector<LaunchConfig> fitting(const Extents& extents, const Target& target) {
  std::vector<LaunchConfig> configs;
  for (const std::int64_t warps : {4, 2, 1}) {
    for (const std::int64_t tile_k : {64, 32, 128}) {
      const bool fits = extents.shared_bytes(warps, tile_k) <= limit_of(target, "shared_bytes", 65536) &&
                        extents.registers(warps, tile_k) <= extents.most_registers() &&
                        (tile_k == 32 || tile_k < 2 * extents.attention.keys) &&
                        (warps == 1 || (warps - 1) * extents.unit->lines < extents.attention.queries);
      if (fits) configs.push_back({{"warps", warps}, {"tile_k", tile_k}});
    }
  }
  return configs;
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Extents> extents = extents_of(graph, target);
  if (!extents.ok()) return Support::no(extents.error().message);
  if (extents.value().attention.queries < kFewestQueries) return Support::no("too few queries for a matrix unit");
  return fitting(extents.value(), target).empty() ? Support::no("the vectors are too long for a wavefront's registers") : Support{};
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<Extents> extents = extents_of(graph, target);
  FL_ASSERT(extents.ok());
  const std::vector<LaunchConfig> configs = fitting(extents.value(), target);
  ParameterSpace space;
  std::string allowed;
  std::set<std::int64_t> warps, tiles;
  for (const LaunchConfig& each : configs) {
    const std::int64_t of = each.integer("warps", 1), tile = each.integer("tile_k", 32);
    warps.insert(of);
    tiles.insert(tile);
    allowed +=
        (allowed.empty() ? "" : " || ") + ("(warps == " + std::to_string(of) + " && tile_k == " + std::to_string(tile) + ")");
  }
  add_axis(space, "warps", "wavefronts of a block, each with the lines of a unit as queries", {warps.begin(), warps.end()});
  add_axis(space, "tile_k", "keys that a block takes at a time", {tiles.begin(), tiles.end()});
  add_rule(space, allowed, "the tiles fit neither shared memory nor registers");
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<Extents> extents = extents_of(graph, target);
  FL_ASSERT(extents.ok());
  return fitting(extents.value(), target).front();
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target& target) {
  FL_TRY(const AttentionUnits units, make_attention_units(graph, target));
  FL_TRY(const Extents extents, extents_of(graph, target));
  const std::int64_t warps = config.integer("warps", 1), tile_k = config.integer("tile_k", 32);
  Names names = names_beside_attention();
  Function function;
  function.parameters = name_parameters(graph, names);
  function.skeleton = attention_skeleton(graph, units, function.parameters, tile_k);

  function.skeleton.files = {"attention"};
  for (const auto& [name, value] : {std::pair<const char*, std::int64_t>{"kUnitLines", units.unit->lines},
                                    {"kUnitLanes", units.unit->lanes},
                                    {"kUnitEach", units.unit->each},
                                    {"kWarps", warps},
                                    {"kTileK", tile_k}})
    function.skeleton.constants.emplace_back(name, value);
  function.launch.narrow = true;
  function.launch.threads = warps * units.unit->lanes;
  function.launch.blocks = std::to_string(ceil_div(units.attention.queries, warps * units.unit->lines) * units.attention.batches());
  function.launch.shared_bytes = extents.shared_bytes(warps, tile_k);
  BodyBuilder(function.body).invoke("fl_attention");
  return function;
}

}  // namespace

Family unit_attention() {
  return {"unit attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
