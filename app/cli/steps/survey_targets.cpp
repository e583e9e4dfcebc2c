// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/survey_targets.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/surveys/target_survey_text.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/steps/compile_only.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

Status check(const SurveyTargetsOptions& options) {
  if (!options.compile_only)
    return invalid_argument("survey takes --target and --no-match with --compile-only alone: what it measures, devices here run");
  if (options.targets.empty()) return invalid_argument("survey --compile-only needs a target: --target sm_90");
  return {};
}

// Shows how far it is on stderr; on a terminal in one line that is written over.
engine::TargetSurveyProgress progress_on(const Terminal& terminal, bool quiet) {
  if (quiet) return {};
  return [terminal](int done, int all, const std::string& piece) {
    const std::string line = std::to_string(done) + " of " + std::to_string(all) + ": " + plain_line(piece);
    if (!terminal.interactive) {
      std::fprintf(stderr, "%s\n", line.c_str());
    } else {
      std::fprintf(stderr, "\r\x1b[2K%s", done < all ? clipped(line, terminal.columns).c_str() : "");
    }
    std::fflush(stderr);
  };
}

}  // namespace

std::shared_ptr<SurveyTargetsOptions> add_survey_targets_options(CLI::App& verb) {
  const auto options = std::make_shared<SurveyTargetsOptions>();
  CLI::Option* const only =
      verb.add_flag("--compile-only", options->compile_only,
                    "Measure nothing: say of each piece how far it comes for --target, and what the compiler says");
  const auto take = [options](const std::vector<std::string>& names) {
    for (const std::string& name : names) options->targets.push_back(target_named(name));
  };
  verb.add_option_function<std::vector<std::string>>(
          "--target", take, "With --compile-only: for this target, whether it is here or not: sm_90, avx2, …; several: repeat")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_flag("--no-match", options->no_match,
                "With --compile-only: do not run what is written for CUDA on the emulator, or for Triton in its interpreter, at "
                "reduced extents");
  for (const char* of_measuring : {"--no-device", "--prefer", "--mode", "--remeasure"})
    only->excludes(verb.get_option(of_measuring));
  return options;
}

ExitCode run_survey_targets(Invocation& invocation, const engine::JobSpec& job, const SurveyTargetsOptions& options) {
  if (const Status valid = check(options); !valid.ok()) return fail(invocation, valid.error());
  engine::TargetSurveySpec spec;
  spec.subjects = job.subjects;
  spec.bindings = job.bindings;
  spec.dtype = job.dtype;
  spec.level = job.level;
  spec.targets = options.targets;
  spec.backends = writing_backends(job);
  spec.match = !options.no_match;
  const Interruption interruption;
  const auto report =
      engine::survey_targets(invocation.config, spec, progress_on(Terminal::of_stderr(), invocation.quiet), interruption.token());
  if (!report.ok()) return fail(invocation, report.error());
  const Status outcome = report.value().outcome();
  if (invocation.json) return print_document(target_survey_json(report.value()), problem_of(outcome));
  std::fputs(target_survey_text(report.value(), Terminal::of_stdout()).c_str(), stdout);
  return outcome.ok() ? ExitCode::kOk : fail(invocation, outcome.error());
}

}  // namespace fuselab::cli
