// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/evidence_reader.h"
#include "app/session/piece.h"
#include "app/session/snapshots.h"
#include "core/backend/device_info.h"
#include "core/measure/ceiling.h"
#include "core/measure/result_store.h"

namespace fuselab::session {

// One device to compare on: in which environment its rows count, and what it was measured to be able to do.
struct ComparedDevice {
  DeviceInfo info;
  std::string environment_key;
  CeilingTable ceilings;
};

// Builds a subject's table from what is stored, under the name that its model is stored by; nothing is measured, nothing is filled
// that was not. `failures` says why a cell has no figure: (piece key, device id) → reason.
using Failures = std::map<std::pair<std::string, std::string>, std::string>;
Result<CompareTable> build_compare_table(const Workpiece& workpiece, const std::vector<ComparedDevice>& devices,
                                         const Protocol& protocol, EvidenceReader& evidence, const Failures& failures,
                                         Accepted accepted = {});

// Sets what the device's measured ceilings say of a cell's figures: the ideal, the share of it, and what cannot be believed.
// `last_cache`: of the device, in bytes, all of them together where figures are rotating; 0: not known.
// A piece that a cache holds has no ideal in any other mode than warm.
void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache = 0,
                           CacheMode mode = CacheMode::kWarm);

// A timed trial as a figure; of several trials the one of that kind, or nullptr.
Figure figure_of(const TrialRecord& trial, Accepted accepted);
const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind);

}  // namespace fuselab::session
