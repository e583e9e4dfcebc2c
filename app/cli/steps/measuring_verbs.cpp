// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/measuring_verbs.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/jobs/run_summary.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/usage.h"
#include "app/cli/steps/follow_job.h"
#include "app/cli/steps/job_plan.h"
#include "app/engine/own/own_file.h"
#include "app/engine/planned_job.h"
#include "app/engine/prior_file.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/words.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using engine::JobSpec;

// ": 3 crashed, 1 timeout"; a dropped trial was verified and is no failure.
std::string outcomes_text(const Outcomes& outcomes) {
  std::string text;
  for (const auto& [outcome, ended] : outcomes) {
    if (outcome == name_of(Outcome::kDropped)) continue;
    text += (text.empty() ? ": " : ", ") + std::to_string(ended.trials) + " " + outcome;
  }
  return text;
}

// The first table that has any figure.
bool show_first_figures(const std::vector<engine::CompareTable>& tables) {
  const auto table = std::find_if(tables.begin(), tables.end(), has_figures);
  if (table == tables.end()) return false;
  std::printf("First figures; cells not measured yet print \"…\".\n\n%s\n",
              compare_text(*table, Detail::kUsual, Terminal::of_stdout()).c_str());
  std::fflush(stdout);
  return true;
}

// A line per model, once all of them are whole: their tables would fill pages.
bool show_first_models(const std::vector<engine::CompareTable>& tables) {
  if (!std::all_of(tables.begin(), tables.end(), is_whole) || std::none_of(tables.begin(), tables.end(), has_figures)) return false;
  std::printf("%s\n", early_text(tables, Terminal::of_stdout()).c_str());
  std::fflush(stdout);
  return true;
}

// What the next commands repeat of this one; what is as usual need not be typed.
Typed typed(const engine::Config& config, const JobSpec& spec) {
  const JobSpec usual;
  Typed words{spec.subjects, !spec.bindings.empty(), "", "", ""};
  if (spec.dtype != usual.dtype) words.question += " --dtype " + shell_word(spec.dtype);
  if (spec.level != usual.level) words.question += " --level " + shell_word(spec.level);
  if (spec.protocol.mode != usual.protocol.mode) words.mode = " --mode " + std::string(name_of(spec.protocol.mode));
  if (config.database != engine::config_from_environment(config.worker_program).database)
    words.where = " --db " + shell_word(config.database.string());
  if (config.synthetic) words.where += " --synthetic";
  return words;
}

// `run` looks at whole models, so it ends with a summary; --wide adds the tables.
void show_results(const engine::Config& config, const JobOptions& options, const std::vector<engine::CompareTable>& tables) {
  const Terminal terminal = Terminal::of_stdout();
  const bool summed_up = options.spec.verb == JobSpec::Verb::kRun;
  for (const engine::CompareTable& table : tables) {
    if (!summed_up || options.wide)
      std::printf("\n%s", compare_text(table, options.wide ? Detail::kAll : Detail::kUsual, terminal).c_str());
  }
  if (summed_up) std::printf("\n%s", run_summary(tables, typed(config, options.spec), terminal).c_str());
}

void say_what_was_kept(engine::Engine& engine, const engine::JobProgress& last, const Outcomes& outcomes,
                       const std::vector<engine::CompareTable>& tables, CacheMode mode) {
  std::printf("\n%s measured, %d reused, %d failed%s.\nDatabase: %s\n", counted(last.trials, "trial").c_str(), last.reused,
              last.failed, plain_line(outcomes_text(outcomes)).c_str(), engine.config().database.c_str());
  const auto report = write_report_beside_database(engine, tables, mode);
  std::printf("Report: %s\n", report.ok() ? report.value().c_str() : report.error().message.c_str());
}

nlohmann::json job_json(const std::string& verb, const engine::Engine& engine, const engine::Job& job, const Outcomes& outcomes) {
  nlohmann::json document = compare_json(job.tables());
  const engine::JobProgress last = job.last_progress();
  document["schema"] = "fuselab." + verb + "/1";
  document["database"] = engine.config().database.string();
  document["trials"] = {{"measured", last.trials}, {"reused", last.reused}, {"failed", last.failed}};
  document["outcomes"] = nlohmann::json::object();
  for (const auto& [outcome, ended] : outcomes)
    document["outcomes"][outcome] = {{"trials", ended.trials}, {"example", ended.example}};
  return document;
}

// Says how the job ended: with its own error, or with the verdict of its tables.
Status outcome_of(const engine::Job& job, const Status& ended) {
  if (ended.ok()) return verdict_on_job(job.tables());
  if (ended.error().code != ErrorCode::kCancelled) return ended;
  return Error{ErrorCode::kCancelled, "interrupted; what was measured is kept, the same command continues from here"};
}

bool names_own_file(const JobSpec& spec) {
  return std::any_of(spec.subjects.begin(), spec.subjects.end(), [](const auto& each) { return engine::is_own_file(each); });
}

// Says what the job would do, instead of doing it.
ExitCode show_plan(const Invocation& invocation, engine::Engine& engine, const JobSpec& spec) {
  const auto plan = engine::plan_job(engine, spec);
  if (!plan.ok()) return fail(invocation, plan.error());
  if (invocation.json) return print_document(plan_json(plan.value()));
  std::fputs(plain_text(plan_text(plan.value(), Terminal::of_stdout())).c_str(), stdout);
  return ExitCode::kOk;
}

ExitCode run_job(Invocation& invocation, JobOptions options) {
  if (options.own_kernel && (!options.own_kernel->new_file.empty() || (options.dry_run && names_own_file(options.spec))))
    return run_own_kernel(invocation, options.spec, *options.own_kernel);
  if (!options.prior.empty()) {
    auto prior = engine::read_prior(options.prior);
    if (!prior.ok()) return fail(invocation, prior.error().within("--prior"));
    options.spec.prior = std::move(prior).value();
  }
  say_what_was_taken(invocation, options.spec.subjects);
  if (options.compile_only && options.compile_only->asked) return run_compile_only(invocation, options.spec, *options.compile_only);
  options.spec.command = invocation.command_line;
  if (const auto config = LaunchConfig::parse(options.config); config.ok()) options.spec.config = config.value();
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  if (options.dry_run) return show_plan(invocation, *engine.value(), options.spec);
  const bool has_budget = options.spec.verb != JobSpec::Verb::kBench;
  if (has_budget && !invocation.quiet) say_what_will_be_done(*engine.value(), options.spec);
  const auto job = engine.value()->start(options.spec);
  if (!job.ok()) return fail(invocation, job.error());

  Outcomes outcomes;
  const bool is_run = options.spec.verb == JobSpec::Verb::kRun;
  Following how{invocation.quiet, !invocation.json && !invocation.quiet && Terminal::of_stdout().interactive};
  if (has_budget) how.budget_seconds = options.spec.budget_seconds;
  // The screen of a run shows as early what show_first_models would.
  const bool show_early = !invocation.json && !invocation.quiet && !(is_run && how.on_screen);
  const Status ended = follow(*job.value(), how, outcomes,
                              !show_early ? ShowEarly()
                              : is_run    ? ShowEarly(show_first_models)
                                          : ShowEarly(show_first_figures));
  const auto tables = job.value()->tables();
  const Status outcome = outcome_of(*job.value(), ended);
  if (tables.empty() && !outcome.ok()) return fail(invocation, outcome.error());  // it did not even begin
  const ExitCode code = ended.ok() ? exit_code_of(outcome) : exit_code_for(outcome.error());
  if (invocation.json)
    return print_document(job_json(options.name, *engine.value(), *job.value(), outcomes), problem_of(outcome), code);
  show_results(engine.value()->config(), options, tables);
  say_what_was_kept(*engine.value(), job.value()->last_progress(), outcomes, tables, options.spec.protocol.mode);
  for (const std::string& line : withheld_figures(tables)) std::fprintf(stderr, "fuselab: %s\n", plain_line(line).c_str());
  if (!outcome.ok()) fail(invocation, outcome.error());
  return code;
}

}  // namespace

std::shared_ptr<JobOptions> add_job_options(CLI::App& command, Invocation& invocation, JobSpec::Verb verb) {
  const auto options = std::make_shared<JobOptions>();
  options->spec.verb = verb;
  options->name = command.get_name();
  command.add_option(
      "SUBJECT", options->spec.subjects,
      "Built-in model or workload, .onnx or graph file, file of your own kernel (.toml), or the text of a graph; none: the "
      "built-in models");
  add_shape_option(command, options->spec.bindings);
  add_measured_options(command, options->spec, "Measure on this device (cpu:0) or backend (cpu) only; several: repeat");
  add_accept_option(command, options->spec.accepted);
  add_wide_flag(command, options->wide);
  command.add_option("--seed", options->spec.seed, "Seed of the search")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command.add_flag("--remeasure", options->spec.remeasure, "Ignore stored figures that are still valid");
  command.add_flag("--cold", options->spec.cold, "Measure the plans that stand at the end with emptied caches, too");
  command.add_flag("--whole", options->spec.slow_whole_models,
                   "Give stacks that take whole models also those whose float64 reference takes long");
  command.add_flag("--dry-run", options->dry_run,
                   "Measure nothing: say what the job would do, on which devices, and how long it takes; of a kernel's file what "
                   "it says");
  command.add_flag("--decide", options->spec.decide,
                   "Spend more fresh processes on gains that are undecided: as many as the gate would, and more than before");
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return run_job(invocation, *options); }; });
  return options;
}

void add_search_options(CLI::App& command, JobOptions& options) {
  CLI::Option* const strategy = command.add_option("--strategy", options.spec.strategy, "How configurations are searched");
  allow_only(*strategy->capture_default_str(), "exhaustive|random|coordinate-descent|evolutionary");
  command
      .add_option("--budget", options.spec.budget_seconds, "Time for the whole job: first figures, tuning, confirming, comparing")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(above_zero());
  command.add_option("--trials", options.spec.budget_trials, "Most configurations per kernel and device")
      ->type_name("N")
      ->capture_default_str()
      ->check(above_zero());
  command
      .add_option("--prior", options.prior,
                  "Begin with what was fast elsewhere: a cache of Triton's autotuner or a folder of them, a cache of Kernel Tuner, "
                  "results in T4")
      ->type_name("PATH");
  command.add_flag("--warm-only")->description("Does nothing: what it asked for is the default")->group("");
  command.add_flag("--keep", options.spec.keep_all_binaries, "Keep every compiled binary, not only the winners'");
}

}  // namespace fuselab::cli
