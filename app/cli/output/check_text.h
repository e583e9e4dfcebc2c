// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/shell/terminal.h"
#include "core/gate/check_report.h"

namespace fuselab::cli {

// Lines for people, worst first: what changed or could not be looked at, each with the numbers and the command that does it again,
// then the totals.
std::string check_text(const CheckReport& report, const Terminal& terminal);

}  // namespace fuselab::cli
