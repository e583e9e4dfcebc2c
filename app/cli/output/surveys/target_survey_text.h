// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/shell/terminal.h"
#include "app/engine/kernels/target_survey.h"

namespace fuselab::cli {

// Returns a table per model and target, one line per distinct piece, with its totals below it.
std::string target_survey_text(const engine::TargetSurveyReport& report, const Terminal& terminal);
nlohmann::json target_survey_json(const engine::TargetSurveyReport& report);

}  // namespace fuselab::cli
