// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/follow_job.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/survey_text.h"
#include "app/cli/verdict.h"
#include "app/session/subject.h"
#include "core/base/plain_text.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using session::JobSpec;

// Every piece once, on its own job: what one subject lacks costs the others nothing.
SurveyedSubject survey_one(Invocation& invocation, session::Session& session, const JobSpec& asked, const std::string& subject) {
  SurveyedSubject found{subject, {}, 0, {}};
  JobSpec spec = asked;
  spec.subjects = {subject};
  found.outcome = [&]() -> Status {
    if (!asked.bindings.empty()) {
      FL_TRY(spec.bindings.front(), session::own_part_of_shape(subject, asked.bindings.front()));
    }
    FL_TRY(auto const job, session.start(spec));
    Outcomes outcomes;
    Status const ended = follow(*job, invocation.quiet, outcomes);
    for (const session::CompareTable& table : job->tables()) {
      FL_TRY(FusionResult const fusion, session.fuse({subject, table.binding, spec.level, spec.devices}));
      found.models.push_back(session::survey_of(fusion, table));
    }
    FL_TRY_VOID(ended);
    Status const verdict = verdict_on_job(job->tables());
    bool const wrong = !verdict.ok() && verdict.error().code == ErrorCode::kNumerics;
    auto const crash = outcomes.find(std::string(name_of(Outcome::kCrashed)));
    if (crash == outcomes.end() || wrong) return verdict;
    found.crashed = crash->second.trials;
    return Error{ErrorCode::kCrashed, crash->second.example};
  }();
  return found;
}

ExitCode survey(Invocation& invocation, JobSpec spec) {
  if (spec.bindings.size() > 1)
    return fail(invocation, invalid_argument("give one --shape: each subject takes what it has symbols for"));
  if (!spec.bindings.empty()) {
    Status const names = session::check_shape_names(spec.subjects, spec.bindings.front());
    if (!names.ok()) return fail(invocation, names.error());
  }
  spec.command = invocation.command_line;
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  std::vector<SurveyedSubject> surveyed;
  for (const std::string& subject : spec.subjects) {
    surveyed.push_back(survey_one(invocation, *session.value(), spec, subject));
    if (was_interrupted()) break;
  }
  Status const outcome = survey_outcome(surveyed);
  if (invocation.json) return print_document(survey_json(surveyed), problem_of(outcome), exit_code_of(outcome));
  std::fputs(survey_text(surveyed, Terminal::of_stdout()).c_str(), stdout);
  return exit_code_of(outcome);
}

}  // namespace

void add_survey_verb(CLI::App& command, Invocation& invocation) {
  auto const spec = std::make_shared<JobSpec>();
  spec->verb = JobSpec::Verb::kBench;
  spec->hold_plans = false;  // how fast many models are, each measured once
  command.add_option("SUBJECT", spec->subjects, "ONNX files; built-in models, workloads and graphs, too")->required();
  add_shape_option(command, spec->bindings, "; each subject takes what it has symbols for");
  add_measured_options(command, *spec, "Measure on this device (cpu:0) or backend (cpu) only; several: repeat");
  command.add_flag("--remeasure", spec->remeasure, "Ignore stored figures that are still valid");
  show_examples(command, {"fuselab survey models/*.onnx", "fuselab survey models/*.onnx --shape batch=1,seq=128 --device cpu"});
  command.callback([&invocation, spec] { invocation.action = [&invocation, spec] { return survey(invocation, *spec); }; });
}

}  // namespace fuselab::cli
