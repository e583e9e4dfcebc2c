// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/changes/change_points.h"
#include "core/gate/check_report.h"

// What many runs of the gate say together: one series for each case on each device beside the same thing.
namespace fuselab {

struct HistoryPoint {
  Observation observation;  // log of the case's time over that of what it was measured beside
  std::string commit;       // of the user's repository; empty: unknown
  std::string started_at;   // as CheckReport::started_at
  std::size_t report = 0;   // index of the run among those given
};

// What cannot be compared is never in one series: another device, another baseline, another reference kernel begins its own. A
// baseline is its kernel, where the run knows it: the same kernel in a file that was saved anew is the same baseline.
struct History {
  std::string name, subject, device, backend;  // as in CaseOutcome; the subject of the newest run
  std::string beside;                          // "baseline 1a2b3c4 of baseline.fuselab", "reference w4-rmsnorm"
  std::vector<HistoryPoint> points;            // by time of measuring; runs without a time in the order given
  int identical = 0;                           // runs in which the kernel was the baseline's own: not measured, a ratio of 1
  int without_figure = 0;                      // runs that gave no paired figure: failed, unfit, no baseline, not beside it
  int duplicates = 0;                          // runs that were given twice: the same start, commit and figure
  int older = 0;                               // runs before the newest kMostObservations: not looked at
};

// Series by name, device and what they were measured beside, in order of first appearance. Runs count beside the baseline that was
// replayed in the same processes; where that was exchanged from run to run, beside their reference kernel as well if they have one,
// and a baseline's series that tells no more than that is left out. A run whose kernel was its baseline's own is a point beside
// that without having been measured. Ratios to a baseline's time of another day are no points, for the machine drifts meanwhile.
std::vector<History> histories_of(std::span<const CheckReport> reports);

// A name of the environment and what it was before and is since.
struct EnvironmentChange {
  std::string name, before, after;
};

// What else changed with the level between two runs: what both report differently.
std::vector<EnvironmentChange> environment_changes(const CheckReport& before, const CheckReport& after);

}  // namespace fuselab
