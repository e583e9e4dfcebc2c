// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/movement_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/lower_movement.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kTilesOfThread = 4;  // at least, so that threads end together

Support supports(const Graph& graph, const Target&) {
  const Result<Movement> movement = make_movement(graph);
  return movement.ok() ? Support{} : Support::no(movement.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  ParameterSpace space;
  const Result<Movement> movement = make_movement(graph);
  FL_ASSERT(movement.ok());
  bool tiled = false;
  for (const BlockCopy& copy : movement.value().copies) tiled = tiled || copy.axes.back().from != 1 || copy.axes.back().to != 1;
  add_axis(space, "grain", "elements per task", {1024, 4096, 16384, 65536});
  // One by one, elements wait in the first cache for their neighbours. Squares of registers read and write whole lines: there a
  // large tile saves translations of addresses, one for every row that it touches on either side.
  const std::vector<std::int64_t> sides =
      moved_in_registers(graph) ? std::vector<std::int64_t>{32, 64, 128, 256, 512} : std::vector<std::int64_t>{8, 16, 32, 64};
  add_axis(space, "tile", "elements of a tile's side", tiled ? sides : std::vector<std::int64_t>{16});
  if (moved_in_registers(graph)) {
    const std::int64_t lanes = vector_widths(target, graph.type(graph.outputs().front()).dtype).back();
    add_axis(space, "vector", "elements per register", {lanes});
    const Movement& made = movement.value();
    const bool streams =
        std::any_of(made.copies.begin(), made.copies.end(),
                    [&](const BlockCopy& copy) { return copy.input != kNothing && is_aligned(copy, lanes); }) ||
        std::any_of(made.gathers.begin(), made.gathers.end(), [&](const GatherCopy& copy) { return copy.elements % lanes == 0; });
    add_axis(space, "nontemporal", "1: stores of whole registers bypass the caches",
             streams ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0});
  }
  const Result<std::int64_t> elements = element_count(graph.type(graph.outputs().front()).shape);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, elements.ok() ? elements.value() / 1024 : 1));
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const auto& axis : axes.parameters()) {
    const bool smallest = axis.name == "tile" && moved_in_registers(graph);
    config.set(axis.name, axis.name == "threads" ? axis.values.back() : axis.values[smallest ? 0 : axis.values.size() / 2]);
  }
  // Fetching the lines of results that the last cache cannot hold, before they are overwritten, would be for nothing.
  std::int64_t bytes = 0;
  for (const ValueId output : graph.outputs()) bytes += size_of(graph.type(output)).value().count;
  const bool streams = bytes > limit_of(target, "l3_bytes", std::numeric_limits<std::int64_t>::max());
  if (moved_in_registers(graph)) {
    const auto values = values_of(axes, "nontemporal");
    const std::int64_t elements = element_count(graph.type(graph.outputs().front()).shape).value();
    for (const std::int64_t side : values_of(axes, "tile")) {
      if (side * side * kTilesOfThread * config.integer("threads", 1) <= elements) config.set("tile", side);
    }
    config.set("nontemporal", streams ? values.back() : values.front());
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(Movement movement, make_movement(graph));
  return lower_movement(graph, movement, config);
}

}  // namespace

Family movement_family() {
  return {"movement", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
