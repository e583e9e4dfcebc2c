// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"

namespace fuselab::engine {

// Returns why an operator of a piece is not run; nothing: it is, or it needs no kernel.
using WhyNotRun = std::function<std::optional<std::string>(const FusedOperation&, NodeId)>;

// The operators of a model that an output needs, constants not counted, and each operator that several pieces compute counted once.
struct OperatorCounts {
  int operators = 0;
  int read = 0;  // those that are not barriers
  int run = 0;   // those that are run or need no kernel
  std::vector<NotRun> not_run;

  double run_share() const { return operators > 0 ? static_cast<double>(run) / operators : 1.0; }
};
OperatorCounts count_operators(const FusionResult& fusion, const WhyNotRun& why_not);

// Counts an operator of the graph among those that are not run for the same reason. `device`: see NotRun.
void note_not_run(std::vector<NotRun>& list, const Graph& graph, NodeId id, const std::string& device, const std::string& reason);

// "Resize ×3 (the first is 'up'): not on cpu:0: …", with what NotRun says.
std::string not_run_text(const NotRun& each);

}  // namespace fuselab::engine
