// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"
#include "core/measure/ceiling.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Sets the part of a cell's figures that follows from the device's measured ceilings: the ideal, the share of it, and what cannot
// be believed. `last_cache`: the device's last cache in bytes, all of them together where figures are rotating; 0: not known. A
// piece that fits into a cache has an ideal in warm mode only.
void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache = 0,
                           CacheMode mode = CacheMode::kWarm);

// Returns a timed trial as a figure.
Figure figure_of(const TrialRecord& trial, Accepted accepted);
const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind);

}  // namespace fuselab::engine
