// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/cli/shell/terminal.h"
#include "app/gate/selftest/selftest.h"
#include "app/gate/selftest/suites.h"
#include "core/stats/error_rate.h"

// Formats a self-test as text and as JSON.
namespace fuselab::cli {

std::string percentage(double share, const char* format = "%.2f %%");
std::string slowdown_text(double slowdown);  // "identical", "+2 %"
// Returns "2 of 400, at most 1.57 %" for false alarms, "397 of 400, at least 98.2 %" for findings that are wanted.
std::string rate_text(const ErrorRate& rate, bool wanted);

nlohmann::json rate_json(const ErrorRate& rate);  // with both bounds

std::string report_text(const engine::SelftestReport& report, double margin, const Terminal& terminal);
nlohmann::json report_json(const engine::SelftestReport& report, std::string_view commit);  // fuselab.selftest/1

std::string suites_text(const engine::SuiteRates& rates);
nlohmann::json suites_json(const engine::SuiteRates& rates);  // fuselab.selftest-suites/1

}  // namespace fuselab::cli
