// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/attention/attention_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/attention/lower_attention.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

Support supports(const Graph& graph, const Target&) {
  const Result<Attention> attention = make_attention(graph);
  return attention.ok() ? Support{} : Support::no(attention.error().message);
}

constexpr std::int64_t kFewQueries = 8;  // below them turning the keys around does not pay

std::int64_t registers_of(const Target& target) {
  return limit_of(target, "vector_bytes", 16) == 64 ? 32 : 16;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<Attention> made = make_attention(graph);
  FL_ASSERT(made.ok());
  const Attention& a = made.value();
  const bool tiled = a.queries >= kFewQueries;
  const auto up_to_queries = [&](std::vector<std::int64_t> values) {
    std::erase_if(values, [&](std::int64_t value) { return value > a.queries; });
    return values;
  };
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", vector_widths(target, a.compute));
  add_axis(space, "tile_m", "queries that share a load of keys or values",
           up_to_queries(tiled ? std::vector<std::int64_t>{4, 6, 8} : std::vector<std::int64_t>{1}));
  add_axis(space, "tile_n", "registers of keys, or of the result, at once",
           tiled ? std::vector<std::int64_t>{1, 2, 3, 4} : std::vector<std::int64_t>{1, 2, 4, 8});
  add_axis(space, "block_rows", "queries whose scores are kept until their values are weighted",
           up_to_queries(tiled ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{1}));
  std::vector<std::int64_t> rows =
      up_to_queries(tiled ? std::vector<std::int64_t>{8, 16, 64, 256} : std::vector<std::int64_t>{1, 4});
  if (rows.back() < a.queries) rows.push_back(a.queries);
  add_axis(space, "rows_per_task", "queries that one task handles", rows);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, a.batches() * a.queries));
  const auto rule = [&](std::string expression, std::string reason) {
    const Status added = space.add(Constraint{std::move(expression), std::move(reason)});
    FL_ASSERT(added.ok());
  };
  if (tiled) {
    rule("tile_m * tile_n + tile_n < " + std::to_string(registers_of(target)), "sums and operands must fit the registers");
    rule("block_rows <= rows_per_task", "a block has no more queries than its task");
  }
  return space;
}

// Returns the rows of a task that keep the busiest thread shortest: each task turns all keys of its batch around, which costs as
// much as some two queries.
std::int64_t rows_of(const Attention& a, const std::vector<std::int64_t>& values, std::int64_t least, std::int64_t threads) {
  constexpr std::int64_t kTurning = 2;
  std::int64_t chosen = values.back();
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t rows : values) {
    if (rows < least) continue;
    const std::int64_t tasks = a.batches() * ceil_div(a.queries, rows);
    const std::int64_t busiest = ceil_div(tasks, threads) * (std::min(rows, a.queries) + kTurning);
    if (busiest > shortest) continue;
    shortest = busiest;
    chosen = rows;
  }
  return chosen;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<Attention> made = make_attention(graph);
  FL_ASSERT(made.ok());
  const Attention& a = made.value();
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const auto& axis : axes.parameters()) config.set(axis.name, axis.values.back());
  if (a.queries < kFewQueries) {
    config.set("rows_per_task", std::int64_t{1});
    return config;
  }
  const std::int64_t tile = registers_of(target) == 32 ? 8 : 6;
  config.set("tile_m", a.queries >= tile ? tile : values_of(axes, "tile_m").back());
  config.set("tile_n", std::int64_t{2});
  // Scores of a block share the second cache with the panels of keys and with values.
  const std::int64_t most = limit_of(target, "l2_bytes", std::int64_t{1} << 20) / 2;
  std::int64_t block = values_of(axes, "block_rows").front();
  for (const std::int64_t rows : values_of(axes, "block_rows")) {
    if (rows * a.keys * bits_of(a.compute) / 8 <= most) block = rows;
  }
  config.set("block_rows", block);
  config.set("rows_per_task", rows_of(a, values_of(axes, "rows_per_task"), block, values_of(axes, "threads").back()));
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(Attention attention, make_attention(graph));
  return lower_attention(graph, attention, config);
}

}  // namespace

Family attention_family() {
  return {"attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
