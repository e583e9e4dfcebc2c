// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/units.h"
#include "core/stats/comparison.h"
#include "core/store/trial_record.h"
#include "tuner/tuner.h"

// Decides whether the configuration that a search found replaces the one it began with, as the gate decides, within what a search
// can afford. resources/docs/decisions/0013-a-search-decides-as-the-gate-does.md says what each decision of a search rests on.
namespace fuselab::engine {

// Returns the rule of a search: the gate's margin, certainty and least number of processes, with fewer processes and less kernel
// time: a twentieth of the search's seconds, at least 0.2 s and at most 2 s. `round` is about how long a sample of both sides
// lasts; where that is long, a process has fewer rounds, at least four.
ComparisonRule rule_of_search(double search_seconds, Nanoseconds round);
// Returns the rule that decides what a comparison in `processes` fresh processes left undecided: the gate's own number of processes
// and kernel time, and in any case more processes than before, so that its result is the stronger one.
ComparisonRule rule_to_decide(int processes, Nanoseconds round);
// Returns how long a sample of both takes under the protocol, from their measured times.
Nanoseconds round_of(double one_ns, double other_ns, const Protocol& protocol);
Nanoseconds round_of(const tuner::Evaluation& start, const tuner::Evaluation& winner, const Protocol& protocol);

// Returns the decision as it is stored; not known where the search compared nothing.
TuningDecision decision_of(const tuner::TuneResult& result);

// Returns the decision that applies to the configuration chosen in the new record: the earlier search's decision where that search
// found this configuration and nothing replaced it now, else `now`.
TuningDecision decision_in_force(const TuningDecision& now, const TuningRecord& before);

}  // namespace fuselab::engine
