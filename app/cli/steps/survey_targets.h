// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/shell/command.h"

namespace fuselab::cli {

struct SurveyTargetsOptions {
  bool compile_only = false;
  std::vector<std::string> targets;
  bool no_match = false;

  bool asked() const { return compile_only || no_match || !targets.empty(); }
};

// Adds `--compile-only`, `--target` and `--no-match` to `survey`, whose other options must be there already: those of measuring are
// refused beside them. The returned options are filled once the line is parsed.
std::shared_ptr<SurveyTargetsOptions> add_survey_targets_options(CLI::App& verb);

// Runs `fuselab survey --compile-only`; subjects, shape, type and level are the job's.
ExitCode run_survey_targets(Invocation& invocation, const engine::JobSpec& job, const SurveyTargetsOptions& options);

}  // namespace fuselab::cli
