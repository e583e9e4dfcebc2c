// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/movement_family.h"

#include "backends/codegen/cpu/lower_movement.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

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
  add_axis(space, "tile", "elements of a tile's side",
           tiled ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{16});
  const Result<std::int64_t> elements = element_count(graph.type(graph.outputs().front()).shape);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, elements.ok() ? elements.value() / 1024 : 1));
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const auto& axis : axes.parameters())
    config.set(axis.name, axis.name == "threads" ? axis.values.back() : axis.values[axis.values.size() / 2]);
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
