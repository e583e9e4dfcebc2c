// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"

// Shows the operators that are not run, with their reasons: of a survey, and of what import and fuse find.
namespace fuselab::cli {

std::string not_run_lines(const std::vector<NotRun>& list);  // indented, a line each
nlohmann::json not_run_json(const std::vector<NotRun>& list);

}  // namespace fuselab::cli
