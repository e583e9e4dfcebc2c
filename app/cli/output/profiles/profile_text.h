// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/shell/terminal.h"
#include "app/views/profile_view.h"

namespace fuselab::cli {

// Returns a profile for a terminal: the verdict first, then where the plan stands, its loops, counters, the split, what to look at.
// `all`: every loop, and the source of the hottest one beside its instructions.
std::string profile_text(const engine::ProfileView& view, bool all, const Terminal& terminal);

// Returns two profiles side by side.
std::string profiles_text(const engine::ProfileView& a, const engine::ProfileView& b, const Terminal& terminal);

}  // namespace fuselab::cli
