// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/graph/graph.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// Returns the number of operators of the graph that run; constants and views do not.
std::ptrdiff_t running_operators(const Graph& graph);

// Returns whether at most one operator of the graph runs, so that there is nothing to fuse.
bool is_single_operator(const Graph& graph);

// Returns the word for a plan: "fused", "unfused", or "single" for an operator by itself.
std::string_view plan_word(PlanKind kind, bool single_operator);

}  // namespace fuselab::engine
