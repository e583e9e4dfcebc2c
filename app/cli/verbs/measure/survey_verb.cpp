// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/surveys/survey_text.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/steps/follow_job.h"
#include "app/cli/steps/survey_targets.h"
#include "app/engine/subject/subject.h"
#include "core/base/plain_text.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using engine::JobSpec;

// Every piece once, on its own job: what one subject lacks costs the others nothing.
SurveyedSubject survey_one(Invocation& invocation, engine::Engine& engine, const JobSpec& asked, const std::string& subject) {
  SurveyedSubject found{subject, {}, 0, {}};
  JobSpec spec = asked;
  spec.subjects = {subject};
  found.outcome = [&]() -> Status {
    if (!asked.bindings.empty()) {
      FL_TRY(spec.bindings.front(), engine::own_part_of_shape(subject, asked.bindings.front(), invocation.config.model_links));
    }
    FL_TRY(const auto job, engine.start(spec));
    Outcomes outcomes;
    const Status ended = follow(*job, {.quiet = invocation.quiet}, outcomes);
    for (const engine::CompareTable& table : job->tables()) {
      FL_TRY(const FusionResult fusion, engine.fuse({subject, table.binding, spec.level, spec.devices, /*for_job=*/true}));
      found.models.push_back(engine::survey_of(fusion, table));
    }
    FL_TRY_VOID(ended);
    const Status verdict = verdict_on_job(job->tables());
    const bool wrong = !verdict.ok() && verdict.error().code == ErrorCode::kNumerics;
    const auto crash = outcomes.find(std::string(name_of(Outcome::kCrashed)));
    if (crash == outcomes.end() || wrong) return verdict;
    found.crashed = crash->second.trials;
    return Error{ErrorCode::kCrashed, crash->second.example};
  }();
  return found;
}

ExitCode survey(Invocation& invocation, JobSpec spec, const SurveyTargetsOptions& on_targets) {
  if (spec.bindings.size() > 1)
    return fail(invocation, invalid_argument("give one --shape: each subject takes what it has symbols for"));
  if (!spec.bindings.empty()) {
    const Status names = engine::check_shape_names(spec.subjects, spec.bindings.front(), invocation.config.model_links);
    if (!names.ok()) return fail(invocation, names.error());
  }
  if (on_targets.asked()) return run_survey_targets(invocation, spec, on_targets);
  spec.command = invocation.command_line;
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  std::vector<SurveyedSubject> surveyed;
  for (const std::string& subject : spec.subjects) {
    surveyed.push_back(survey_one(invocation, *engine.value(), spec, subject));
    if (was_interrupted()) break;
  }
  const Status outcome = survey_outcome(surveyed);
  if (invocation.json) return print_document(survey_json(surveyed), problem_of(outcome), exit_code_of(outcome));
  std::fputs(survey_text(surveyed, Terminal::of_stdout()).c_str(), stdout);
  return exit_code_of(outcome);
}

}  // namespace

void add_survey_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<JobSpec>();
  spec->verb = JobSpec::Verb::kBench;
  spec->whole_models = false;
  spec->decide_gains = false;  // how fast many models are, each measured once
  command.add_option("SUBJECT", spec->subjects, "ONNX files; built-in models, workloads and graphs, too")->required();
  add_shape_option(command, spec->bindings, "; each subject takes what it has symbols for");
  add_measured_options(command, *spec, "Measure on this device (cpu:0) or backend (cpu) only; several: repeat");
  command.add_flag("--remeasure", spec->remeasure, "Ignore stored figures that are still valid");
  const auto on_targets = add_survey_targets_options(command);
  show_examples(command, {"fuselab survey models/*.onnx", "fuselab survey models/*.onnx --shape batch=1,seq=128 --device cpu",
                          "fuselab survey resnet50 bert-layer --compile-only --target sm_90 --target sm_120"});
  command.callback([&invocation, spec, on_targets] {
    invocation.action = [&invocation, spec, on_targets] { return survey(invocation, *spec, *on_targets); };
  });
}

}  // namespace fuselab::cli
