// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/loop_passes.h"

#include <algorithm>

namespace fuselab::profile {

bool is_contraction(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op == Op::kMatMul || node.op == Op::kGemm || node.op == Op::kConv || node.op == Op::kAttention;
  });
}

std::optional<LoopPasses> passes_through(const LoopReport& loop, const Graph& graph, const Cost& cost) {
  if (is_contraction(graph)) {
    if (loop.flops <= 0 || cost.flops <= 0) return std::nullopt;
    return LoopPasses{cost.flops / loop.flops, "its arithmetic"};
  }
  // A spilled register is no result.
  const double each = loop.stores > 0 ? static_cast<double>(loop.stored_bytes) / loop.stores : 0;
  const double written = loop.stored_bytes - each * loop.spill_stores;
  if (written > 0 && cost.written.count > 0) return LoopPasses{static_cast<double>(cost.written.count) / written, "what it writes"};
  const double loaded = loop.loads > 0 ? static_cast<double>(loop.loaded_bytes) / loop.loads * (loop.loads - loop.spill_loads) : 0;
  if (loaded > 0 && cost.read.count > 0) return LoopPasses{static_cast<double>(cost.read.count) / loaded, "what it reads"};
  return std::nullopt;
}

}  // namespace fuselab::profile
