// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "core/gate/check_report.h"
#include "core/gate/exit_decision.h"
#include "core/stats/past_sessions.h"

// How samples become verdicts: a function of what was measured alone, so that a record gives the same again, bit for bit.
namespace fuselab::engine {

// The share of wrong ones among the changes that a run reports, on average, at most.
inline constexpr double kFalseDiscoveryRate = 0.01;

// One case as it went so far. Where nothing was compared, outcome.state already says how it ended.
struct CheckedCase {
  CaseOutcome outcome;
  ComparisonRule rule;
  std::vector<SessionSamples> past;  // of a historical comparison: what the baseline took at earlier times; empty: it ran as well
  std::optional<Replay> first;
  std::optional<Replay> confirmation;            // of a change that the first called, in processes of its own
  std::string unconfirmed_because;               // the confirmation could not be had, or came of an unfit machine: why
  CaseState instead = CaseState::kInconclusive;  // and how the case ends for that

  bool is_suspect() const;  // the first called a change, of one machine
};

// The rule of a suspect's confirmation in a suite of so many comparisons: its interval is wide enough that a lone change passes
// Benjamini and Hochberg's procedure over all of them.
ComparisonRule confirmation_rule(const ComparisonRule& rule, std::size_t comparisons);

// All that a run of the gate measured, before anything is said of it.
struct CheckRun {
  CheckReport report;  // without its cases
  std::vector<CheckedCase> cases;
  FailOn fail_on = usual_fail_on();
  bool interrupted = false;  // somebody asked it to stop, and cases were left open for that
};

// Whether a change beyond the margin, in the direction that the first called, is excluded by the confirmation's interval. A
// confirmation that neither says the same nor contradicts leaves the case open.
bool contradicts(const ComparisonResult& confirmation, Verdict first, double margin);

// The chance of evidence as strong as a suspect's confirmation found, were there no change in the direction that the first called;
// 1 where the first called none or nothing confirmed it, as where the machine was not fit to, or where it ended with another
// verdict.
double p_confirmed(Verdict first, const std::optional<Replay>& confirmation);

// How many of the cases were compared, on a machine that was fit to.
std::size_t comparisons_of(const std::vector<CheckedCase>& cases);

// Fills in states, figures and q-values: a change counts when its confirmation, whose samples had no part in suspecting it, says
// the same and stands among the suite's. Of times of two machines nothing is said, whatever they are: such a case is inconclusive.
void judge(std::vector<CheckedCase>& cases);

// With which code of the one table the run ends, by its own fail_on. Of judged cases. Not with 0 where it was interrupted, whatever
// counts: nothing is said of what was left open.
int exit_code_of(const CheckRun& run);

// Judges the cases and says what the run came to.
CheckReport report_of(CheckRun run);

}  // namespace fuselab::engine
