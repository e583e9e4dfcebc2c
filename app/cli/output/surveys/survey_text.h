// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "app/engine/survey.h"
#include "core/base/result.h"

namespace fuselab::cli {

// The result for one subject: its models (a built-in one may be several), or why there are none.
struct SurveyedSubject {
  std::string subject;  // as given
  std::vector<engine::Survey> models;
  int crashed = 0;  // trials that ended with the worker's death
  Status outcome;   // of reading, measuring and verifying it
};

// Returns one line per model and device and, below, the operators that nothing ran, by name and reason.
std::string survey_text(const std::vector<SurveyedSubject>& subjects, const Terminal& terminal);
nlohmann::json survey_json(const std::vector<SurveyedSubject>& subjects);

// Returns the gravest outcome of all subjects: numerics before crashes before subjects that could not be read or measured.
Status survey_outcome(const std::vector<SurveyedSubject>& subjects);

}  // namespace fuselab::cli
