// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/units.h"
#include "core/stats/comparison.h"
#include "core/store/trial_record.h"
#include "tuner/tuner.h"

// Whether what a search found takes the place of what it began with: decided as the gate decides, within what a search can afford.
// resources/docs/decisions/0013-a-search-decides-as-the-gate-does.md says what each decision of a search stands on.
namespace fuselab::engine {

// The gate's margin, certainty and least number of processes, in fewer processes and with less kernel time: a twentieth of the
// search's seconds, 0.2 s at least and 2 s at most. `round`: how long a sample of both sides lasts, about; where that is long a
// process has fewer rounds, four at least.
ComparisonRule rule_of_search(double search_seconds, Nanoseconds round);
// How long a sample of both takes under the protocol, from what was measured of them.
Nanoseconds round_of(double one_ns, double other_ns, const Protocol& protocol);
Nanoseconds round_of(const tuner::Evaluation& start, const tuner::Evaluation& winner, const Protocol& protocol);

// As it is stored; not known where the search compared nothing.
TuningDecision decision_of(const tuner::TuneResult& result);

// What stands with the configuration that the new record has chosen: where that is what an earlier search found, and nothing took
// its place now, the decision that put it there.
TuningDecision decision_in_force(const TuningDecision& now, const TuningRecord& before);

}  // namespace fuselab::engine
