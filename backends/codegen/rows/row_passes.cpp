// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_passes.h"

#include <algorithm>

#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

const RowNode& at(const RowProgram& program, int node) {
  return program.nodes[static_cast<std::size_t>(node)];
}

bool is_row_reduction(const RowNode& node) {
  return node.op == RowOp::kSum || node.op == RowOp::kLargest;
}

void reach(const RowProgram& program, int node, std::set<int>& needed) {
  if (!needed.insert(node).second) return;
  for (int arg : at(program, node).args) reach(program, arg, needed);
}

// Walks what one pass computes, from its roots down to inputs, row values and staged values.
class PassWalk {
 public:
  PassWalk(const RowProgram& program, Keeping keeping, int phase, const std::map<int, int>& computed_in)
      : program_(program), keeping_(keeping), phase_(phase), computed_in_(computed_in) {}

  void visit(int node) {
    const RowNode& here = at(program_, node);
    if (here.level != Level::kFull || computes.contains(node) || takes.contains(node)) return;
    const bool keeps_computed = keeping_ == Keeping::kComputed || keeping_ == Keeping::kAll;
    const bool computed = here.op == RowOp::kMap && here.phase < phase_ && keeps_computed;
    const bool read = here.op == RowOp::kInput && (keeping_ == Keeping::kAll || keeping_ == Keeping::kInputs);
    if ((computed || read) && computed_in_.contains(node)) {
      takes.insert(node);
      return;
    }
    computes.insert(node);
    for (int arg : here.args) visit(arg);
  }

  std::set<int> computes;
  std::set<int> takes;

 private:
  const RowProgram& program_;
  Keeping keeping_;
  int phase_;
  const std::map<int, int>& computed_in_;
};

}  // namespace

std::vector<RunningSum> running_sums(const RowProgram& program) {
  std::vector<RunningSum> found;
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].op != RowOp::kSum) continue;
    const RowNode& power = at(program, program.nodes[i].args[0]);
    if (power.op != RowOp::kMap || power.map != Op::kExp) continue;
    const RowNode& shifted = at(program, power.args[0]);
    if (shifted.op != RowOp::kMap || shifted.map != Op::kSub) continue;
    const RowNode& largest = at(program, shifted.args[1]);
    if (largest.op != RowOp::kLargest || largest.args[0] != shifted.args[0]) continue;
    found.push_back({static_cast<int>(i), shifted.args[1], shifted.args[0]});
  }
  return found;
}

RowPlan plan_passes(const RowProgram& program, Keeping keeping, bool runs) {
  FL_ASSERT(!runs || keeping == Keeping::kNothing);
  const std::vector<RunningSum> running = runs ? running_sums(program) : std::vector<RunningSum>();
  RowPlan plan;
  plan.as_stored = keeping == Keeping::kInputs;
  for (const RowOutput& output : program.outputs) reach(program, output.node, plan.needed);
  plan.passes.resize(static_cast<std::size_t>(program.phases()));
  for (int node : plan.needed) {
    const RowNode& here = at(program, node);
    if (!is_row_reduction(here)) continue;
    const auto along = std::find_if(running.begin(), running.end(), [node](const RunningSum& each) { return each.sum == node; });
    if (along == running.end()) {
      plan.passes[static_cast<std::size_t>(here.phase) - 1].reductions.push_back(node);
    } else {
      plan.passes[static_cast<std::size_t>(at(program, along->largest).phase) - 1].running.push_back(*along);
    }
  }
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const RowOutput& output = program.outputs[i];
    if (output.access.inner == 0) continue;
    plan.passes[static_cast<std::size_t>(at(program, output.node).phase)].outputs.push_back(static_cast<int>(i));
  }
  std::map<int, int> computed_in;  // node → first pass that computes it
  for (int phase = 0; phase < program.phases(); ++phase) {
    RowPass& pass = plan.passes[static_cast<std::size_t>(phase)];
    PassWalk walk(program, keeping, phase, computed_in);
    for (int reduction : pass.reductions) walk.visit(at(program, reduction).args[0]);
    for (int output : pass.outputs) walk.visit(program.outputs[static_cast<std::size_t>(output)].node);
    pass.takes = walk.takes;
    for (int node : walk.takes) {
      plan.stage_slots.try_emplace(node, static_cast<int>(plan.stage_slots.size()));
      plan.passes[static_cast<std::size_t>(computed_in.at(node))].keeps.insert(node);
    }
    for (int node : walk.computes) computed_in.try_emplace(node, phase);
  }
  return plan;
}

DType kept_type(const Graph& graph, const RowProgram& program, const RowPlan& plan, int node) {
  const RowNode& here = at(program, node);
  if (!plan.as_stored || here.op != RowOp::kInput) return program.compute;
  const DType stored = graph.type(graph.inputs()[static_cast<std::size_t>(here.input)]).dtype;
  return is_floating(stored) ? stored : program.compute;
}

}  // namespace fuselab::codegen
