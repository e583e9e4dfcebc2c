// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/engine/measure/block_measurer.h"
#include "app/engine/subject/piece.h"

// The two plans of a piece that are held against each other: one kernel, and its operators one after the other.
namespace fuselab::engine {

// The piece as one graph, and each of its operators alone; of a single operator only the first.
std::vector<const Graph*> graphs_of(const Piece& piece);

// The configurations that a stored plan was measured in take their places in `configs`, which follow graphs_of().
Status take_configs(const TrialRecord& trial, std::vector<Result<LaunchConfig>>& configs);

// The configuration that the plan of these operators' kernels is stored with; empty where one of them has none.
std::string unfused_config(std::span<const Result<LaunchConfig>> operators);

// The piece's operators one after the other: how a framework without fusion runs it. Where a kernel could not be made, the
// candidate says why.
Candidate unfused_candidate(const Piece& piece, std::vector<Result<CompiledKernel>> kernels);

}  // namespace fuselab::engine
