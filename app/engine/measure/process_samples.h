// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "core/store/compared_side.h"

// Helpers that every comparison uses on the samples of a fresh process, paired or not.
namespace fuselab::engine {

// Fails with the reason why a plan has no figures; its side comes first: "candidate: crashed: …".
Status check_timed(const PlanResult& plan, ComparedSide who);
// Returns "candidate: "; empty for kNeither.
std::string label_of(ComparedSide who);

// Rounds kernel time as records keep it: to ten microseconds.
Nanoseconds kept_spent(Nanoseconds spent);

// Returns the conditions as records keep them: each canary reduced to its median.
BlockConditions kept_conditions(BlockConditions conditions);

// Returns why none of a process counts; empty: nothing disturbed it. Less is enough here than to mark a single figure as disturbed
// (PlanResult::reason).
std::string disturbance_of(const MeasuredBlock& measured);

// Returns "disturbed while timing: a sample of -5 ns, which no clock gives"; empty when every sample is finite and above 0. A
// process with such a sample counts as disturbed.
std::string impossible_in(std::span<const double> samples);

// Fails with kUnavailable once at least 6 processes are disturbed and these are more than half of all: the machine is not fit to
// compare on. `last` says what disturbed the newest one.
Status check_fitness(int disturbed, std::size_t processes, const std::string& last);

}  // namespace fuselab::engine
