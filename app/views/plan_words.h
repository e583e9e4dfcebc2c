// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/graph/graph.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// How many operators of the graph run; constants and views do not.
std::ptrdiff_t running_operators(const Graph& graph);

// Whether at most one operator of the graph runs: then there is nothing to fuse.
bool is_single_operator(const Graph& graph);

// What a plan is called: "fused", "unfused", or "single" for an operator by itself, which nobody fused.
std::string_view plan_word(PlanKind kind, bool single_operator);

}  // namespace fuselab::engine
