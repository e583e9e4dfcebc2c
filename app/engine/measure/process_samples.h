// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "core/store/compared_side.h"

// What every comparison does with what a fresh process measured, paired or not.
namespace fuselab::engine {

// Why a plan has no figures, as the error of whoever asked for it; its side comes first, for people: "candidate: crashed: …".
Status check_timed(const PlanResult& plan, ComparedSide who);
// "candidate: "; empty of neither.
std::string label_of(ComparedSide who);

// Kernel time as records keep it: none needs it finer than ten microseconds.
Nanoseconds kept_spent(Nanoseconds spent);

// The conditions as records keep them: of each canary its median alone.
BlockConditions kept_conditions(BlockConditions conditions);

// By what a process was disturbed so that none of it counts, which takes less than a figure of its own (PlanResult::reason);
// empty: by nothing.
std::string disturbance_of(const MeasuredBlock& measured);

// "a sample of -5 ns, which no clock gives"; empty: each is a time. A process with such a sample is disturbed, whatever ran.
std::string impossible_in(std::span<const double> samples);

// kUnavailable where more processes are disturbed than are not: the machine is not fit. `last` is what the newest was disturbed by.
Status check_fitness(int disturbed, std::size_t processes, const std::string& last);

}  // namespace fuselab::engine
