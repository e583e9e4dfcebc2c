// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/store/trial_record.h"

namespace fuselab::engine {

// Returns the decision in words; empty for a decision that is not known. "a=1 is 1.25x faster [1.22, 1.28] than a=0, which the
// search began with (6 processes)"; "a=0 stays: a=1 is as fast within 1%: …".
std::string decision_text(const TuningDecision& decision);
// Returns the short form for a column: "1.25x [1.22, 1.28]", "equivalent", "inconclusive", "nothing faster", "not decided"; empty:
// not known.
std::string decision_word(const TuningDecision& decision);

}  // namespace fuselab::engine
