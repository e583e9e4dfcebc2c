// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/shell/terminal.h"
#include "core/gate/check_report.h"

namespace fuselab::cli {

// Returns the printed report, worst first: the cases that changed or could not be compared, each with its numbers and the command
// that runs it again, then the totals.
std::string check_text(const CheckReport& report, const Terminal& terminal);

}  // namespace fuselab::cli
