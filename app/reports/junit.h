// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// The first bytes of a file that Fuselab wrote; only such a file may be overwritten.
inline constexpr std::string_view kJUnitStart = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fuselab check\"";

// Returns JUnit XML as GitLab and Jenkins read it: a suite for each device and backend, a test case for each case in the file's
// order. `time` is wall time in seconds; properties are the environment. A regression is a failure of type "perf-regression", a
// wrong result one of type "wrong-result". A case that could not be compared is an error ("environment", "kernel",
// "configuration"); one without a verdict (inconclusive, no baseline) is skipped with its reason. All others passed, with their
// figures as output.
std::string junit_of(const CheckReport& report);

}  // namespace fuselab::reports
