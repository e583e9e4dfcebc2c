// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// GitHub refuses the whole summary of a step beyond this size.
inline constexpr std::size_t kLargestSummary = 1024 * 1024;

// The first bytes of a file that Fuselab wrote, a comment that is not shown. Only a file that begins with them may be overwritten,
// and a bot finds its earlier comment by them.
inline constexpr std::string_view kMarkdownStart = "<!-- fuselab check -->\n";

// Returns a summary for GitHub or GitLab: the outcome, a table of the cases that need attention with the worst first, the others
// folded away, and the environment. Rows that do not fit into `at_most` bytes (at least 16 KiB) are left out from the end of the
// tables and counted in a line "… and N more".
std::string markdown_of(const CheckReport& report, std::size_t at_most = kLargestSummary);

}  // namespace fuselab::reports
