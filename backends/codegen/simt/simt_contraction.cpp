// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_contraction.h"

#include <algorithm>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/simt/lower_simt_contraction.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMostRegisters = 64;  // sums of a thread, in elements
constexpr std::int64_t kFewestColumns = 4;   // threads of a block along columns; with one along rows they are the smallest block

std::int64_t most_threads(const Target& target) {
  return limit_of(target, "max_threads", 256);
}

Support supports(const Graph& graph, const Target& target) {
  if (const std::int64_t most = most_threads(target); most < kFewestColumns) {
    return Support::no("contractions need blocks of " + std::to_string(kFewestColumns) + " threads, and the device's have " +
                       std::to_string(most) + " at most");
  }
  const Result<ContractionKernel> kernel = make_contraction(graph);
  if (!kernel.ok()) return Support::no(kernel.error().message);
  const Contraction& c = kernel.value().contraction;
  return c.m * c.n * c.k * c.batches() > 0 ? Support{} : Support::no("the tensors are empty");
}

// Returns those of `wanted` that are at most `most`, and the first in any case.
Values up_to(const Values& wanted, std::int64_t most) {
  Values values;
  for (std::int64_t value : wanted) {
    if (value <= most || values.empty()) values.push_back(value);
  }
  return values;
}

// Registers are along columns: they need neighbours in memory, or shared memory where neighbours are brought together.
Values lane_counts(const Contraction& c) {
  Values lanes;
  for (std::int64_t each : {1, 2, 4, 8, 16}) {
    if (c.n % each == 0) lanes.push_back(each);
  }
  return lanes;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_contraction(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  ParameterSpace space;
  add_axis(space, "vector", "neighbouring columns in a register", lane_counts(c));
  add_axis(space, "tile_m", "rows of a thread", up_to({1, 2, 4, 8}, c.m));
  add_axis(space, "tile_n", "registers of a thread along a row", up_to({1, 2, 4}, c.n));
  add_axis(space, "rows_of_block", "threads of a block along rows", up_to({1, 2, 4, 8, 16}, c.m));
  add_axis(space, "columns_of_block", "threads of a block along columns", {kFewestColumns, 8, 16, 32});
  add_axis(space, "depth", "steps of k that a block brings into shared memory at once, 0: operands are read where they lie",
           {0, 8, 16, 32});
  add_axis(space, "unroll", "steps of k that are written at once", {1, 2, 4});
  add_rule(space, "tile_m * tile_n * vector <= " + std::to_string(kMostRegisters), "the sums would not stay in registers");
  add_rule(space, "rows_of_block * columns_of_block <= " + std::to_string(most_threads(target)), "a block has no more threads");
  add_rule(space, simt_contraction_bytes(c) + " <= " + std::to_string(limit_of(target, "shared_bytes", 32768)),
           "the tile does not fit shared memory");
  if (c.layout != RightLayout::kRows || !made.value().has_right_registers()) {
    add_rule(space, "vector == 1 || depth > 0", "columns that do not lie together make no register");
  }
  return space;
}

// Copying into shared memory gains nothing where it is memory like any other.
LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  const bool shares = limit_of(target, "dedicated_local", 1) != 0;
  const auto wish = [&](const std::string& axis) -> std::int64_t {
    if (axis == "vector") return shares ? 4 : 16;
    if (axis == "tile_m") return 4;
    if (axis == "tile_n") return 1;
    if (axis == "rows_of_block") return shares ? 8 : 2;
    if (axis == "columns_of_block") return shares ? 16 : 4;
    return axis == "depth" ? (shares ? 16 : 0) : 1;
  };
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) {
    std::int64_t chosen = std::get<std::int64_t>(axis.values.front());
    for (const auto& value : axis.values) {
      if (std::get<std::int64_t>(value) <= wish(axis.name)) chosen = std::get<std::int64_t>(value);
    }
    config.set(axis.name, chosen);
  }
  if (axes.check(config).ok()) return config;
  for (const char* first : {"depth", "vector"}) {
    config.set(first, std::int64_t{first == std::string_view("depth") ? 0 : 1});
    if (axes.check(config).ok()) return config;
  }
  return nearest(axes, {});
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(ContractionKernel kernel, make_contraction(graph));
  return lower_simt_contraction(graph, kernel, config);
}

}  // namespace

Family simt_contraction() {
  return {"simt contraction", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
