// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Where a device's ceilings were measured: on the device itself, or only by others on the same processor (see shared_ceilings()).
enum class CeilingsOf { kItself, kItsProcessor };

// Sets the part of a cell's figures that follows from the measured ceilings: the ideal, the share of it, and which figures are
// withheld. `last_cache`: the device's last cache in bytes, all of them together where figures are rotating; 0: not known. A
// piece that fits into a cache has an ideal in warm mode only. Ceilings of its processor withhold nothing: a library that beats
// them shows that they are too low, and has no ideal.
void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache = 0,
                           CacheMode mode = CacheMode::kWarm, CeilingsOf of = CeilingsOf::kItself);

// Moves a cell's figure to where it is shown only. `why` follows the words "fused withheld: ".
void withhold(Cell& cell, Figure figure, PlanKind kind, bool single_operator, const std::string& why);

// Returns a timed trial as a figure, without its share of a ceiling.
Figure figure_of(const TrialRecord& trial, Accepted accepted);
// Returns which share of the ceilings timed beside it a trial of the piece reached, of those of the whole device: a plan of fewer
// threads than are fastest reaches less of it, by stored rates: its interval is a point. Nothing where none were timed.
std::optional<PairedShare> share_beside(const TrialRecord& trial, const Piece& piece, const CeilingTable& ceilings);
const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind);

}  // namespace fuselab::engine
