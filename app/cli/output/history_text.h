// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "core/gate/judged_history.h"

namespace fuselab::cli {

// Returns one bar per value, of eight heights between the lowest and the highest; where there is no room for all, each bar is the
// median of several values. Empty without values.
std::string sparkline(std::span<const double> values, int columns);

// Returns the printed report on one series, with the command that looks for the commit of each change. `reports` are those it was
// made from.
std::string history_text(const JudgedHistory& judged, std::span<const CheckReport> reports, const Terminal& terminal);

// Returns the same for programs; resources/schema/json/gate/history.schema.json describes it.
nlohmann::json history_json(const JudgedHistory& judged, std::span<const CheckReport> reports);

}  // namespace fuselab::cli
