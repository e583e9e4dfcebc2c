// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engine/measure/block_measurer.h"
#include "app/engine/subject/piece.h"

// The two plans of a piece that are compared: one kernel, and its operators one after the other.
namespace fuselab::engine {

// Returns the piece as one graph, then each of its operators alone; only the first for a single operator.
std::vector<const Graph*> graphs_of(const Piece& piece);

// Puts the configurations that a stored plan was measured in into their places in `configs`, which follow graphs_of().
Status take_configs(const TrialRecord& trial, std::vector<Result<LaunchConfig>>& configs);

// Returns the configuration text that the plan of these operators' kernels is stored with; empty where one of them has none.
std::string unfused_config(std::span<const Result<LaunchConfig>> operators);

// Returns the plan that runs the piece's operators one after the other, as a framework without fusion does. Where a kernel could
// not be made, the candidate says why.
Candidate unfused_candidate(const Piece& piece, std::vector<Result<CompiledKernel>> kernels);

}  // namespace fuselab::engine
