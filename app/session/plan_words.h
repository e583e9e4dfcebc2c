// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/graph/graph.h"
#include "core/tuning/trial_record.h"

namespace fuselab::session {

// Whether at most one operator of the graph runs: then there is nothing to fuse. Constants and views do not run.
bool is_single_operator(const Graph& graph);

// What a plan is called: "fused", "unfused", or "single" for an operator by itself, which nobody fused.
std::string_view plan_word(PlanKind kind, bool single_operator);

}  // namespace fuselab::session
