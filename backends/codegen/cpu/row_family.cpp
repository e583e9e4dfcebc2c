// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/row_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/lower_rows.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/rows/row_passes.h"

namespace fuselab::codegen {
namespace {

// Where a processor does not say.
constexpr std::int64_t kUsualL1 = std::int64_t{32} << 10;
constexpr std::int64_t kUsualL2 = std::int64_t{1} << 20;
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

// Returns the bytes of one row of all inputs that can be asked for ahead: those that a program goes along row by row and more than
// once.
std::int64_t row_bytes(const Graph& graph, const RowProgram& program) {
  std::int64_t bits = 0;
  const RowPlan plan = plan_passes(program, Keeping::kNothing);
  const auto walks = [](const RowPass& pass) { return !pass.reductions.empty() || !pass.outputs.empty(); };
  if (std::count_if(plan.passes.begin(), plan.passes.end(), walks) < 2) return 0;
  for (const RowNode& node : program.nodes) {
    if (!follows_row_by_row(program, node)) continue;
    bits += program.cols * bits_of(graph.type(graph.inputs()[static_cast<std::size_t>(node.input)]).dtype);
  }
  return bits / 8;
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
  if (row_bytes(graph, program) >= limit_of(target, "l1_bytes", kUsualL1) / 8) {
    add_axis(space, "prefetch", "1: the next row is asked for while one is computed", {0, 1});
  }
  add_rule(space, "rows_per_task * (threads - 1) < " + std::to_string(program.rows()), "more threads than row blocks would idle");
  return space;
}

// Results that the last cache cannot hold: fetching their lines before they are overwritten would be for nothing.
bool outgrows_caches(const Graph& graph, const Target& target) {
  std::int64_t bytes = 0;
  for (ValueId output : graph.outputs()) bytes += size_of(graph.type(output)).value().count;
  return bytes > limit_of(target, "l3_bytes", std::numeric_limits<std::int64_t>::max());
}

// Rows that take much of the first cache are not in flight by themselves when their turn comes; shorter ones are, because the
// processor goes on reading past a row's end. Nothing needs to be asked for that the second cache holds anyway.
bool prefetches(const Graph& graph, const RowProgram& program, const Target& target) {
  const std::int64_t bytes = row_bytes(graph, program);
  return bytes >= limit_of(target, "l1_bytes", kUsualL1) / 4 && bytes * program.rows() > limit_of(target, "l2_bytes", kUsualL2);
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  const bool streams = outgrows_caches(graph, target);
  const Result<RowProgram> program = make_row_program(graph);
  FL_ASSERT(program.ok());
  const bool keeps = keeping_saves_work(program.value());
  const bool asks_ahead = prefetches(graph, program.value(), target);
  LaunchConfig config;
  // The widest registers, all cores, the smallest tasks. Two registers a step hide latency; a reduction needs four, each of which
  // waits for the one before.
  for (const Parameter& axis : axes.parameters()) {
    const bool largest = axis.name == "vector" || axis.name == "threads" || (axis.name == "stage" && keeps) ||
                         (axis.name == "nontemporal" && streams) || (axis.name == "prefetch" && asks_ahead);
    config.set(axis.name, largest ? axis.values.back() : axis.values.front());
  }
  config.set("unroll", std::int64_t{program.value().has_reduction ? 4 : 2});
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
