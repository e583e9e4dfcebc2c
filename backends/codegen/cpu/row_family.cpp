// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/row_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/lower_rows.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kMostStageBytes = std::int64_t{4} << 20;

Support supports(const Graph& graph, const Target&) {
  const Result<RowProgram> program = make_row_program(graph);
  return program.ok() ? Support{} : Support::no(program.error().message);
}

std::vector<std::int64_t> grains(const RowProgram& program) {
  const std::int64_t elements = program.rows() * program.cols;
  std::vector<std::int64_t> values = {4096};
  for (std::int64_t grain : {16384, 65536}) {
    if (grain <= elements) values.push_back(grain);
  }
  return values;
}

bool offers_nontemporal(const Graph& graph, const RowProgram& program, const Target& target) {
  const auto widths = vector_widths(target, program.compute);
  bool stores = false;
  for (const RowOutput& output : program.outputs) {
    const DType stored = graph.type(graph.outputs()[static_cast<std::size_t>(output.output)]).dtype;
    stores = stores || (output.access.inner != 0 && stored == program.compute);
  }
  return stores && rows_are_aligned(program, widths.back());
}

void add_rule(ParameterSpace& space, std::string expression, std::string reason) {
  const Status added = space.add(Constraint{std::move(expression), std::move(reason)});
  FL_ASSERT(added.ok());
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<RowProgram> made = make_row_program(graph);
  FL_ASSERT(made.ok());
  const RowProgram& program = made.value();
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", vector_widths(target, program.compute));
  add_axis(space, "unroll", "registers per loop step", {1, 2, 4});
  add_axis(space, "nontemporal", "1: stores bypass the caches",
           offers_nontemporal(graph, program, target) ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0});
  if (!program.has_reduction) {
    const std::int64_t elements = program.rows() * program.cols;
    const auto grain_values = grains(program);
    add_axis(space, "threads", "threads that share the tasks", thread_counts(target, elements / grain_values.front()));
    add_axis(space, "grain", "elements per task", grain_values);
    add_rule(space, "grain * (threads - 1) < " + std::to_string(std::max<std::int64_t>(elements, 1)),
             "more threads than tasks would idle");
    return space;
  }
  add_axis(space, "threads", "threads that share the rows", thread_counts(target, program.rows()));
  std::vector<std::int64_t> blocks = {1};
  for (std::int64_t rows : {4, 16}) {
    if (rows <= program.rows()) blocks.push_back(rows);
  }
  add_axis(space, "rows_per_task", "rows that one task handles", blocks);
  const std::int64_t stage_bytes = staged_values(program) * program.cols * bits_of(program.compute) / 8;
  const bool offers_stage = stage_bytes > 0 && stage_bytes <= kMostStageBytes;
  add_axis(space, "stage", "1: values needed by a later pass are kept per thread, 0: computed again",
           offers_stage ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0});
  add_rule(space, "rows_per_task * (threads - 1) < " + std::to_string(program.rows()), "more threads than row blocks would idle");
  return space;
}

// Results that the last cache cannot hold: fetching their lines before they are overwritten would be for nothing.
bool outgrows_caches(const Graph& graph, const Target& target) {
  std::int64_t bytes = 0;
  for (ValueId output : graph.outputs()) bytes += size_of(graph.type(output)).value().count;
  return bytes > limit_of(target, "l3_bytes", std::numeric_limits<std::int64_t>::max());
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  const bool streams = outgrows_caches(graph, target);
  LaunchConfig config;
  // The widest registers, all cores, the smallest tasks; two registers a step hide latency.
  for (const Parameter& axis : axes.parameters()) {
    const bool largest =
        axis.name == "vector" || axis.name == "threads" || axis.name == "stage" || (axis.name == "nontemporal" && streams);
    config.set(axis.name, largest ? axis.values.back() : axis.values.front());
  }
  config.set("unroll", std::int64_t{2});
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(RowProgram program, make_row_program(graph));
  return lower_rows(graph, program, config);
}

}  // namespace

Family row_family() {
  return {"rows", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
