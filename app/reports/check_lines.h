// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/gate/check_report.h"

// A run of the gate as JSON lines: the form that programs keep, and that history and replay read again.
namespace fuselab::reports {

// How the first line of a run begins, in every version; by it a file is known.
inline constexpr std::string_view kCheckLinesStart = R"({"schema":"fuselab.check-lines/)";

// One line for the run, then one for each case in the report's order, each ended by '\n'. Times are in the units their names
// say; an infinite bound is the text "inf" or "-inf". What is not UTF-8 in a text becomes U+FFFD.
std::string check_lines_of(const CheckReport& report);

// The runs of a file, in its order: files may be put one after another. Numbers come back bit for bit, texts that are UTF-8 byte
// for byte; members that this version does not know are passed over. kInvalidArgument where the text is of another kind or a
// newer version; kCorrupt, with its line, where one does not hold together: no JSON, a member missing or of another type, a number
// that cannot be (not a number, negative times, infinite where no bound is), fewer or more cases than the run says.
Result<std::vector<CheckReport>> read_check_lines(std::string_view text);

}  // namespace fuselab::reports
