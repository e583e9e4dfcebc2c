// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"
#include "core/measure/ceiling.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Sets what the device's measured ceilings say of a cell's figures: the ideal, the share of it, and what cannot be believed.
// `last_cache`: of the device, in bytes, all of them together where figures are rotating; 0: not known.
// A piece that a cache holds has no ideal in any other mode than warm.
void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache = 0,
                           CacheMode mode = CacheMode::kWarm);

// A timed trial as a figure; of several trials the one of that kind, or nullptr.
Figure figure_of(const TrialRecord& trial, Accepted accepted);
const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind);

}  // namespace fuselab::engine
