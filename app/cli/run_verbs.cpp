// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/compare_text.h"
#include "app/cli/job_progress.h"

namespace fuselab::cli {
namespace {

using session::JobSpec;

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int /*signal*/) {
  g_interrupted = 1;
}

struct JobOptions {
  JobSpec spec;
  std::string mode = "warm";
};

bool has_figures(const session::CompareTable& table) {
  return !table.totals.empty() && table.totals.front().measured_pieces > 0;
}

// Shows events until the job ends; Ctrl-C cancels it and keeps what was measured.
Status follow(session::Job& job, const Invocation& invocation, const Terminal& terminal) {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  JobProgressPrinter printer(terminal.interactive, invocation.quiet || invocation.json);
  bool first_table_shown = invocation.json || invocation.quiet;
  bool ended = false;
  while (!ended) {
    ended = job.wait_for(std::chrono::milliseconds(100));
    if (g_interrupted != 0) job.cancel();
    for (const session::Event& event : job.drain()) {
      printer.show(event);
      auto const* changed = std::get_if<session::TableChanged>(&event);
      if (first_table_shown || ended || changed == nullptr || !has_figures(changed->table)) continue;
      printer.clear();
      std::printf("First figures; cells not measured yet print \"…\".\n\n%s\n", compare_text(changed->table, terminal).c_str());
      std::fflush(stdout);
      first_table_shown = true;
    }
  }
  return job.result();
}

void say_what_was_kept(session::Session& session, const session::JobProgress& last,
                       const std::vector<session::CompareTable>& tables) {
  std::printf("\n%d trials measured, %d reused, %d failed.\nDatabase: %s\n", last.trials, last.reused, last.failed,
              session.config().database.c_str());
  auto const report = write_report(session, session.config().database.parent_path() / "report.html", tables);
  std::printf("Report: %s\n", report.ok() ? report.value().c_str() : report.error().message.c_str());
}

ExitCode run_job(Invocation& invocation, JobOptions options) {
  auto const mode = parse_cache_mode(options.mode);
  if (!mode.ok()) return fail(invocation, mode.error());
  options.spec.protocol.mode = mode.value();
  options.spec.command = invocation.command_line;
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  auto const job = session.value()->start(options.spec);
  if (!job.ok()) return fail(invocation, job.error());

  Terminal const terminal = Terminal::of_stdout();
  Status const ended = follow(*job.value(), invocation, terminal);
  auto const tables = job.value()->tables();
  if (invocation.json) {
    if (!ended.ok()) return fail(invocation, ended.error());
    std::puts(compare_json(tables).c_str());
    return ExitCode::kOk;
  }
  for (const session::CompareTable& table : tables) std::printf("\n%s", compare_text(table, terminal).c_str());
  say_what_was_kept(*session.value(), job.value()->last_progress(), tables);
  if (ended.ok()) return ExitCode::kOk;
  if (ended.error().code == ErrorCode::kCancelled)
    std::puts("Interrupted; what was measured is kept, the same command goes on from here.");
  return fail(invocation, ended.error());
}

void add_job_verb(CLI::App& app, Invocation& invocation, JobSpec::Verb verb, const char* name, const char* summary) {
  auto const options = std::make_shared<JobOptions>();
  options->spec.verb = verb;
  CLI::App* const command = app.add_subcommand(name, summary);
  command->add_option("SUBJECT", options->spec.subjects,
                      "Built-in model or workload, .onnx or graph file, or the text of a graph; none: the built-in models");
  add_shape_option(*command, options->spec.bindings);
  command->add_option("--device", options->spec.devices, "Device (cpu:0) or backend (cpu); several: repeat")->take_all();
  command->add_option("--dtype", options->spec.dtype, "Element type of built-in workloads")->capture_default_str();
  command->add_option("--level", options->spec.level, "Optimisation level O0…O3, or none, conservative, balanced, aggressive")
      ->capture_default_str();
  command->add_option("--mode", options->mode, "warm: buffers as the run before left them; cold: caches emptied before each sample")
      ->capture_default_str();
  command->add_option("--seed", options->spec.seed, "Seed of the search")->capture_default_str();
  command->add_flag("--remeasure", options->spec.remeasure, "Ignore stored figures that are still valid");
  if (verb != JobSpec::Verb::kBench) {
    command->add_option("--strategy", options->spec.strategy, "exhaustive, random, coordinate-descent or evolutionary")
        ->capture_default_str();
    command->add_option("--budget", options->spec.budget_seconds, "Seconds for tuning")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->add_option("--trials", options->spec.budget_trials, "Most configurations per kernel and device")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    command->add_flag("--keep", options->spec.keep_all_binaries, "Keep every compiled binary, not only the winners'");
  }
  command->callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return run_job(invocation, *options); }; });
}

}  // namespace

void add_run_verbs(CLI::App& app, Invocation& invocation) {
  add_job_verb(app, invocation, JobSpec::Verb::kRun, "run",
               "Import, fuse, measure every piece once, tune within the budget, compare");
  add_job_verb(app, invocation, JobSpec::Verb::kBench, "bench",
               "Measure every piece once, fused and unfused, in its best known configuration");
  add_job_verb(app, invocation, JobSpec::Verb::kTune, "tune",
               "Search launch configurations, then compare the winners in a fresh process");
}

}  // namespace fuselab::cli
