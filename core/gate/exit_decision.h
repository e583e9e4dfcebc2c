// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/gate/check_report.h"

namespace fuselab {

// Which ends of a case fail a run of the gate. What is not slower, wrong or unknown never does: improved, equivalent, unconfirmed
// and same cases have no exit code.
using FailOn = std::vector<CaseState>;

// Every end that has an exit code.
FailOn usual_fail_on();

// "regressed", "wrong-result", "failed", "misconfigured", "no-baseline", "unfit", "inconclusive", or "none" alone.
// kInvalidArgument, with the names there are.
Result<FailOn> parse_fail_on(std::span<const std::string> names);

// The same in the words that parse_fail_on() takes.
std::vector<std::string> words_of(const FailOn& fail_on);

// The exit code of the one table of all verbs: that of the worst case that counts, in the order of by_severity(): regressed 1,
// wrong result 7, failed 3, misconfigured 2, no baseline 5, unfit 6, inconclusive 4; 0 where none counts.
int exit_code_of(const CheckReport& report, const FailOn& fail_on);

// The case whose end decided that; null where none counts.
const CaseOutcome* decisive_case(const CheckReport& report, const FailOn& fail_on);

}  // namespace fuselab
