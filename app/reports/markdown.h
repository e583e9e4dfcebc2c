// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// GitHub refuses the whole summary of a step beyond this.
inline constexpr std::size_t kLargestSummary = 1024 * 1024;

// How a file of ours begins (a comment that is not shown); by it one may be replaced, and a bot finds the comment it wrote last
// time.
inline constexpr std::string_view kMarkdownStart = "<!-- fuselab check -->\n";

// A summary for GitHub or GitLab: the outcome, a table of what wants attention, the worst first, the others folded away, the
// environment. What does not fit into `at_most` bytes (16 KiB at least) is left out from the end of the tables and counted in a
// line "… and N more".
std::string markdown_of(const CheckReport& report, std::size_t at_most = kLargestSummary);

}  // namespace fuselab::reports
