// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "core/gate/check_report.h"
#include "core/gate/exit_decision.h"
#include "core/stats/past_runs.h"

// Turns samples into verdicts. The result depends on the measurements alone, so a record gives the same verdicts again, bit for
// bit.
namespace fuselab::engine {

// The largest expected share of wrong changes among those that a run reports.
inline constexpr double kFalseDiscoveryRate = 0.01;

// One case and how far it has come. Where nothing was compared, outcome.state already says how it ended.
struct CheckedCase {
  CaseOutcome outcome;
  ComparisonRule rule;
  std::vector<RunSamples> past;  // of a historical comparison: the baseline's earlier timing runs; else empty
  std::optional<Replay> first;
  std::optional<Replay> confirmation;            // of a change that the first comparison called, in processes of its own
  std::string unconfirmed_because;               // why the confirmation is missing, or came from an unfit machine
  CaseState instead = CaseState::kInconclusive;  // how the case then ends

  bool is_suspect() const;  // true if the first comparison called a change, with times of one machine
};

// Returns the rule for confirming a suspect in a suite of so many comparisons. Its interval is wide enough that a lone change
// passes Benjamini and Hochberg's procedure over all of them.
ComparisonRule confirmation_rule(const ComparisonRule& rule, std::size_t comparisons);

// Everything that a run of the gate measured, before it is judged.
struct CheckRun {
  CheckReport report;  // without its cases
  std::vector<CheckedCase> cases;
  FailOn fail_on = usual_fail_on();
  bool interrupted = false;  // cases were left open because a stop was requested
};

// Returns whether the confirmation's interval excludes a change beyond the margin in the direction that the first comparison
// called. A confirmation that neither agrees nor contradicts leaves the case open.
bool contradicts(const ComparisonResult& confirmation, Verdict first, double margin);

// Returns the p-value of a suspect's confirmation: the chance of evidence as strong as it found if there were no change in the
// direction that the first comparison called. 1 where the first comparison called no change, where there is no confirmation from a
// fit machine, or where the confirmation ended with another verdict than the first one or inconclusive.
double p_confirmed(Verdict first, const std::optional<Replay>& confirmation);

// Returns how many of the cases were compared on a machine that was fit to compare on.
std::size_t comparisons_of(const std::vector<CheckedCase>& cases);

// Fills in states, figures and q-values. A change counts when its confirmation, whose samples played no part in suspecting it,
// agrees and passes the procedure over the whole suite. A case whose times come from two machines is always inconclusive.
void judge(std::vector<CheckedCase>& cases);

// Returns the exit code of the run, by its own fail_on; the cases must be judged. Never 0 for an interrupted run, since some of its
// cases were left open.
int exit_code_of(const CheckRun& run);

// Judges the cases and returns the report of the run.
CheckReport report_of(CheckRun run);

}  // namespace fuselab::engine
