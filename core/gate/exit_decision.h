// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/gate/check_report.h"

namespace fuselab {

// The states of a case that fail a run of the gate. Improved, equivalent, unconfirmed and same cases have no exit code and never
// fail it.
using FailOn = std::vector<CaseState>;

// Returns every state that has an exit code but new and inconclusive. A case that was added passes with a note; so does one whose
// budget ended before a verdict, as long as it would have seen a slowdown of `detect`.
FailOn usual_fail_on();

// Parses "regressed", "wrong-result", "failed", "misconfigured", "no-baseline" (includes the next two), "untrusted", "expired",
// "renamed", "new", "unfit", "insensitive", "inconclusive" (includes insensitive), or "none" alone. Fails with kInvalidArgument,
// listing the valid names.
Result<FailOn> parse_fail_on(std::span<const std::string> names);

// Returns the words that parse_fail_on() takes for these states.
std::vector<std::string> words_of(const FailOn& fail_on);

// Returns the exit code, from the table of all verbs, of the worst case that counts, in the order of by_severity(): regressed 1,
// wrong result 7, failed 3, misconfigured 2, no baseline, untrusted, expired, renamed and new 5, unfit 6, insensitive and
// inconclusive 4; 0 where none counts.
int exit_code_of(const CheckReport& report, const FailOn& fail_on);

// Returns the case that decided the exit code; null where none counts.
const CaseOutcome* decisive_case(const CheckReport& report, const FailOn& fail_on);

}  // namespace fuselab
