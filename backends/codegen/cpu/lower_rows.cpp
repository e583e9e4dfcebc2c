// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_rows.h"

#include <algorithm>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_cuts.h"
#include "backends/codegen/rows/row_passes.h"
#include "backends/codegen/rows/row_values.h"
#include "backends/codegen/rows/row_walk.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;

RowRegisters registers_of(const RowProgram& program, const LaunchConfig& config) {
  RowRegisters registers;
  registers.lanes = static_cast<int>(config.integer("vector", 8));
  registers.unroll = config.integer("unroll", 1);
  registers.nontemporal = config.integer("nontemporal", 0) != 0 && rows_are_aligned(program, registers.lanes);
  return registers;
}

// Returns whether an element takes many instructions.
bool is_costly(const RowNode& node) {
  if (node.op != RowOp::kMap || node.level != Level::kFull) return false;
  switch (node.map) {
    case Op::kExp:
    case Op::kLog:
    case Op::kErf:
    case Op::kTanh:
    case Op::kSigmoid:
    case Op::kGelu:
    case Op::kSwish:
    case Op::kPow: return true;
    default: return false;
  }
}

// Returns the walk that has the time to ask for the next row: the first one behind another that does much work per element, or else
// the last.
std::size_t asking_pass(const RowProgram& program) {
  int asking = program.phases() - 1;
  for (const RowNode& node : program.nodes) {
    if (node.phase > 0 && is_costly(node)) asking = std::min(asking, node.phase);
  }
  return static_cast<std::size_t>(asking);
}

RowPlan plan_of(const RowProgram& program, const LaunchConfig& config) {
  RowPlan plan = plan_passes(program, config.integer("stage", 0) != 0 ? Keeping::kComputed : Keeping::kNothing);
  if (config.integer("prefetch", 0) != 0) plan.passes[asking_pass(program)].prefetches = true;
  return plan;
}

// Cuts the rows, or long rows themselves, into tasks and writes the passes of each row.
class RowLowering {
 public:
  RowLowering(const Graph& graph, const RowProgram& program, const LaunchConfig& config)
      : program_(program),
        plan_(plan_of(program, config)),
        values_(graph, program, plan_),
        registers_(registers_of(program, config)),
        walk_(program, values_, registers_),
        cuts_(row_cuts(program)),
        grain_(config.integer("grain", 1 << 14)),
        rows_per_task_(config.integer("rows_per_task", 1)) {}

  Function run();

 private:
  void lay_out_stages();
  void element_wise_task();
  void row_task(std::int64_t rows_per_task);
  void clip_to(Body& body, const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed);
  void row(Body& body, const ColumnRange& columns);
  void pass(Body& body, int phase, const ColumnRange& columns);

  const RowProgram& program_;
  RowPlan plan_;
  RowValues values_;
  RowRegisters registers_;
  RowWalk walk_;
  std::set<std::int64_t> cuts_;
  std::int64_t grain_;
  std::int64_t rows_per_task_;
  Function function_;
};

Function RowLowering::run() {
  function_.parameters = values_.parameters();
  lay_out_stages();
  if (program_.has_reduction) {
    row_task(rows_per_task_);
  } else {
    element_wise_task();
  }
  function_.nontemporal = registers_.nontemporal;
  return std::move(function_);
}

void RowLowering::lay_out_stages() {
  const std::int64_t bytes = ceil_div(program_.cols * bits_of(program_.compute) / 8, kCacheLine) * kCacheLine;
  for (const std::string& stage : values_.stages()) {
    function_.scratch.push_back({stage, program_.compute, function_.scratch_bytes});
    function_.scratch_bytes += bytes;
  }
}

// Declares `name` = wish, cut to `limit` where a last block may be shorter.
void RowLowering::clip_to(Body& body, const std::string& limit_name, const ExprPtr& wish, std::int64_t limit, bool may_exceed) {
  BodyBuilder builder(body);
  if (!may_exceed) {
    builder.declare(limit_name, wish);
    return;
  }
  const ExprPtr last = builder.declare_variable(limit_name, wish);
  BodyBuilder(builder.when(binary(">", last, integer(limit)))).assign(last, integer(limit));
}

void RowLowering::row_task(std::int64_t rows_per_task) {
  const std::int64_t rows = program_.rows();
  const ExprPtr task = variable(function_.task_variable, kIndex);
  function_.tasks = ceil_div(rows, rows_per_task);
  BodyBuilder builder(function_.body);
  Body* body = &function_.body;
  if (rows_per_task == 1) {
    if (!program_.outer.empty()) builder.declare("row", task);
  } else {
    builder.declare("first_row", task * integer(rows_per_task));
    clip_to(function_.body, "last_row", variable("first_row", kIndex) + integer(rows_per_task), rows, rows % rows_per_task != 0);
    body = &builder.loop(LoopKind::kSerial, "row", variable("first_row", kIndex), variable("last_row", kIndex), integer(1));
  }
  row(*body, {integer(0), integer(program_.cols), {program_.cols}});
}

void RowLowering::element_wise_task() {
  const std::int64_t cols = program_.cols;
  if (!cuts_.empty() || (!program_.outer.empty() && cols < grain_)) {
    row_task(std::max<std::int64_t>(1, grain_ / cols));
    return;
  }
  const std::int64_t blocks = ceil_div(cols, grain_);
  function_.tasks = program_.rows() * blocks;
  const ExprPtr task = variable(function_.task_variable, kIndex);
  BodyBuilder builder(function_.body);
  if (!program_.outer.empty()) builder.declare("row", task / integer(blocks));
  if (blocks == 1) {
    row(function_.body, {integer(0), integer(cols), {cols}});
    return;
  }
  const ExprPtr block = program_.outer.empty() ? task : task % integer(blocks);
  const ExprPtr first = builder.declare("first_col", block * integer(grain_));
  clip_to(function_.body, "last_col", first + integer(grain_), cols, cols % grain_ != 0);
  row(function_.body, {first, variable("last_col", kIndex), {grain_, cols % grain_}});
}

// Computes those columns of one row.
void RowLowering::row(Body& body, const ColumnRange& columns) {
  values_.begin_row();
  for (int phase = 0; phase < program_.phases(); ++phase) {
    values_.declare_row_level(body, phase);
    pass(body, phase, columns);
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const RowOutput& output = program_.outputs[i];
    if (output.access.inner != 0) continue;
    const KernelParameter& parameter = values_.output(i);
    Point point{.body = &body, .column = integer(0)};
    const ExprPtr total = values_.at(output.node, point);
    BodyBuilder(body).store({parameter.name, values_.offset(output.access), total, parameter.storage, false});
  }
}

void RowLowering::pass(Body& body, int phase, const ColumnRange& columns) {
  const RowPass& pass = plan_.passes[static_cast<std::size_t>(phase)];
  if (cuts_.empty()) {
    walk_.write(body, pass, columns);
    return;
  }
  std::int64_t begin = 0;
  for (std::int64_t cut : cuts_) {
    walk_.write(body, pass, {integer(begin), integer(cut), {cut - begin}, begin});
    begin = cut;
  }
}

}  // namespace

Function lower_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config) {
  return RowLowering(graph, program, config).run();
}

int staged_values(const RowProgram& program) {
  return static_cast<int>(plan_passes(program, Keeping::kComputed).stage_slots.size());
}

bool keeping_saves_work(const RowProgram& program) {
  const auto& nodes = program.nodes;
  const auto inputs =
      std::count_if(nodes.begin(), nodes.end(), [&](const RowNode& node) { return follows_row_by_row(program, node); });
  return inputs > 1 || std::any_of(nodes.begin(), nodes.end(),
                                   [&](const RowNode& node) { return node.phase + 1 < program.phases() && is_costly(node); });
}

bool rows_are_aligned(const RowProgram& program, std::int64_t lanes) {
  const bool whole_pieces = std::all_of(program.nodes.begin(), program.nodes.end(), [lanes](const RowNode& node) {
    return node.op != RowOp::kPieces ||
           std::all_of(node.starts.begin(), node.starts.end(), [lanes](std::int64_t start) { return start % lanes == 0; });
  });
  return whole_pieces && (program.outer.empty() || program.cols % lanes == 0);
}

}  // namespace fuselab::codegen
