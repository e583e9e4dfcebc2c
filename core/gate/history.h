// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/changes/change_points.h"
#include "core/gate/check_report.h"

// The series behind many runs of the gate: one for each case on each device, measured beside the same thing.
namespace fuselab {

struct HistoryPoint {
  Observation observation;  // log of the case's time over that of the kernel measured beside it
  std::string commit;       // commit of the user's repository; empty: unknown
  std::string started_at;   // as CheckReport::started_at
  std::size_t report = 0;   // index of the run among the given reports
};

// One series. Figures that cannot be compared are never in one series: another device, another baseline or another reference kernel
// begins its own. A baseline is identified by its kernel where the run knows it: the same kernel in a file that was saved again is
// the same baseline.
struct History {
  std::string name, subject, device, backend;  // as in CaseOutcome; the subject of the newest run
  std::string beside;                          // "baseline 1a2b3c4 of baseline.fuselab", "reference w4-rmsnorm"
  std::vector<HistoryPoint> points;            // by time of measuring; runs without a time in the order given
  int identical = 0;                           // runs whose kernel was the baseline's own: not measured, a ratio of 1
  int without_figure = 0;                      // runs without a paired figure: failed, unfit, no baseline, not beside it
  int duplicates = 0;                          // runs that were given twice, with the same start, commit and figure
  int older = 0;                               // runs before the newest kMostObservations, which are ignored
};

// Returns the series by name, device and what they were measured beside, in order of first appearance. A run counts for the
// baseline that was replayed in the same processes; where baselines were exchanged from run to run, it counts for its reference
// kernel as well if it has one, and a baseline's series that adds nothing to that is left out. A run whose kernel was its
// baseline's own is a point beside that baseline without having been measured. Ratios to a baseline's time of another day are left
// out, since the machine drifts in between.
std::vector<History> histories_of(std::span<const CheckReport> reports);

// A name of the environment with its values before and after a change.
struct EnvironmentChange {
  std::string name, before, after;
};

// Returns what else changed between two runs: the names that both report with different values.
std::vector<EnvironmentChange> environment_changes(const CheckReport& before, const CheckReport& after);

}  // namespace fuselab
