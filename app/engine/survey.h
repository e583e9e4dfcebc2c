// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/fusion/match/fusion_types.h"

namespace fuselab::engine {

// The part of one model that could be read, cut into pieces, and measured once.
struct Survey {
  std::string model;  // as the table calls it
  std::string binding;
  int operators = 0;               // operators that an output needs; constants do not count
  int understood = 0;              // of those, the ones that are not barriers
  int run = 0;                     // of those, the ones in pieces that a device ran correctly, or that need no kernel
  int groups = 0;                  // pieces, each use counted
  int distinct = 0;                // pieces, equal ones once
  std::vector<ModelTotal> totals;  // per device

  std::vector<NotRun> not_run;        // in the model's order
  std::vector<NotRun> not_run_there;  // operators that one device did not run while another did, device by device

  double run_share() const { return operators > 0 ? static_cast<double>(run) / operators : 1.0; }
};

// Builds the survey from the pieces of a model and what was measured of them. Pieces that the table does not have count as not run.
Survey survey_of(const FusionResult& fusion, const CompareTable& table);

}  // namespace fuselab::engine
