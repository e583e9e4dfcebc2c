// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/cost/cost.h"
#include "core/graph/graph.h"
#include "core/profile/code_report.h"

namespace fuselab::profile {

// How often a launch passes through a loop, worked out from what the graph must compute or move; nothing where neither decides.
struct LoopPasses {
  double passes = 0;
  std::string from;  // "its arithmetic", "what it writes", "what it reads"
};

// A contraction (a product of matrices, a convolution, attention) is worked out from its FLOPs, anything else from its traffic,
// since conventions for the FLOPs of a function differ from what computes it.
std::optional<LoopPasses> passes_through(const LoopReport& loop, const Graph& graph, const Cost& cost);

bool is_contraction(const Graph& graph);

}  // namespace fuselab::profile
