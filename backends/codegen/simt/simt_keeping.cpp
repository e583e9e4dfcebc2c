// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_keeping.h"

#include <algorithm>

namespace fuselab::codegen {

bool in_shared_memory(RowKeeping keeping) {
  return keeping == RowKeeping::kShared || keeping == RowKeeping::kSharedInputs;
}

RowPlan row_plan(const RowProgram& program, RowKeeping keeping) {
  switch (keeping) {
    case RowKeeping::kReadAgain: return plan_passes(program, Keeping::kNothing);
    case RowKeeping::kRunning: return plan_passes(program, Keeping::kNothing, true);
    case RowKeeping::kSharedInputs: return plan_passes(program, Keeping::kInputs);
    case RowKeeping::kRegisters:
    case RowKeeping::kShared: break;
  }
  return plan_passes(program, Keeping::kAll);
}

std::int64_t kept_bytes(const Graph& graph, const RowProgram& program, const RowPlan& plan) {
  std::int64_t bytes = 0;
  for (const auto& [node, slot] : plan.stage_slots) {
    bytes += (program.cols * bits_of(kept_type(graph, program, plan, node)) / 8 + 15) / 16 * 16;
  }
  return bytes;
}

std::int64_t kept_at_once(const RowPlan& plan) {
  std::int64_t most = 0;
  for (std::size_t boundary = 1; boundary < plan.passes.size(); ++boundary) {
    std::int64_t alive = 0;
    for (const auto& [node, slot] : plan.stage_slots) {
      bool before = false;
      bool after = false;
      for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        before = before || (i < boundary && plan.passes[i].keeps.contains(node));
        after = after || (i >= boundary && plan.passes[i].takes.contains(node));
      }
      alive += before && after ? 1 : 0;
    }
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace fuselab::codegen
