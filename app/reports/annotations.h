// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// GitHub shows ten annotations of a type for a step and drops the others silently.
inline constexpr int kAnnotationsOfAType = 10;

// Returns workflow commands for a step's output, one a line: an error, warning or notice at the line of fuselab.toml for each case
// that needs attention, the worst first. There are at most kAnnotationsOfAType of each type, so 30 of the 50 that GitHub keeps for
// a job; where there are more, the last of a type says how many and that the summary lists them all.
std::string annotations_of(const CheckReport& report);

}  // namespace fuselab::reports
