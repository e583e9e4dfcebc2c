// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/row_passes.h"

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
    const bool computed = here.op == RowOp::kMap && here.phase < phase_ && keeping_ != Keeping::kNothing;
    const bool read = here.op == RowOp::kInput && keeping_ == Keeping::kAll;
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

RowPlan plan_passes(const RowProgram& program, Keeping keeping) {
  RowPlan plan;
  for (const RowOutput& output : program.outputs) reach(program, output.node, plan.needed);
  plan.passes.resize(static_cast<std::size_t>(program.phases()));
  for (int node : plan.needed) {
    const RowNode& here = at(program, node);
    if (is_row_reduction(here)) plan.passes[static_cast<std::size_t>(here.phase) - 1].reductions.push_back(node);
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

}  // namespace fuselab::codegen
