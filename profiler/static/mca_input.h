// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/profile/code_report.h"

namespace fuselab::profile {

// Returns the body of a loop as assembly text for llvm-mca, which takes it to be repeated; padding is left out and jumps lead to
// the beginning, since it follows none. Empty, with the reason in `why_not`, for a loop that says nothing there: one around another
// loop, one that calls functions, one that is too long.
std::string mca_input(const CodeReport& report, const LoopReport& loop, std::string& why_not);

// Returns the places in CodeReport::code of the instructions that mca_input() writes, in their order.
std::vector<std::size_t> modelled_code(const CodeReport& report, const LoopReport& loop);

}  // namespace fuselab::profile
