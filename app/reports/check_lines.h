// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/gate/check_report.h"

// Writes and reads a run of the gate as JSON lines, the form for programs, for the history and for replay.
namespace fuselab::reports {

// The first bytes of a run in every version, by which a file is recognised.
inline constexpr std::string_view kCheckLinesStart = R"({"schema":"fuselab.check-lines/)";

// Returns one line for the run, then one for each case in the report's order, each ended by '\n'. Times are in the units their
// names say; an infinite bound is the text "inf" or "-inf". Bytes of a text that are not UTF-8 become U+FFFD.
std::string check_lines_of(const CheckReport& report);

// Reads the runs of a file in its order; several files may be joined into one. Numbers come back bit for bit, UTF-8 texts byte for
// byte; unknown members are skipped.
// Fails with kInvalidArgument where the text is of another kind or a newer version; with kCorrupt, naming the line, where a line is
// inconsistent: no JSON, a member missing or of another type, an impossible number (NaN, a negative time, infinite where no bound
// is), or another number of cases than the run says.
Result<std::vector<CheckReport>> read_check_lines(std::string_view text);

}  // namespace fuselab::reports
