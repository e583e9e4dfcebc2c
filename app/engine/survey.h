// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/fusion/match/fusion_types.h"

namespace fuselab::engine {

// How far one model came: read, cut into pieces, and each piece measured once.
struct Survey {
  std::string model;  // as the table calls it
  std::string binding;
  int operators = 0;               // that an output needs; constants are none
  int understood = 0;              // of those, the ones that are no barriers
  int run = 0;                     // of those, the ones in pieces that a device ran and that were right, or that need no kernel
  int groups = 0;                  // pieces, each use counted
  int distinct = 0;                // pieces, equal ones once
  std::vector<ModelTotal> totals;  // per device

  // Operators that nothing ran, for one reason: "Resize ×3".
  struct NotRun {
    std::string op;
    std::string reason;
    std::string first;  // what the first of them is called
    int count = 0;
    std::string device = {};  // that did not run what another ran; empty: nothing ran it
  };
  std::vector<NotRun> not_run;        // in the model's order
  std::vector<NotRun> not_run_there;  // by one device while another did: device by device

  double run_share() const { return operators > 0 ? static_cast<double>(run) / operators : 1.0; }
};

// From the pieces of a model and what was measured of them. Pieces that the table does not have count as not run.
Survey survey_of(const FusionResult& fusion, const CompareTable& table);

}  // namespace fuselab::engine
