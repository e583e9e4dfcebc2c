// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/output/selftest_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/exit_code.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/shell/usage.h"
#include "app/gate/selftest/selftest.h"
#include "app/gate/selftest/selftest_record.h"
#include "app/gate/selftest/selftest_summary.h"
#include "app/gate/source/source_commit.h"
#include "core/base/plain_text.h"
#include "core/stats/noise_model.h"

namespace fuselab::cli {
namespace {

using engine::SelftestReport;
using engine::SelftestSpec;

struct SelftestOptions {
  SelftestSpec spec;
  std::vector<double> slowdown_percents;
  int models = 0;
  int suites = 0;
  double margin_percent = 1;
  double budget_seconds = 2;
  std::string record;
};

// The rule on noise whose truth is known: no device takes part.
ExitCode try_models(const Invocation& invocation, const SelftestOptions& options) {
  std::vector<std::vector<std::string>> cells;
  nlohmann::json rows = nlohmann::json::array();
  for (const NoiseModel& model : noise_models()) {
    for (const double slowdown : {0.0, 0.01, 0.02, 0.05}) {
      ErrorRate regressed{0, options.models}, improved{0, options.models};
      std::int64_t inconclusive = 0, processes = 0;
      for (int trial = 0; trial < options.models; ++trial) {
        Comparison comparison(options.spec.rule);
        NoiseSource noise(model, options.spec.seed + 1'000'003ULL * static_cast<std::uint64_t>(trial));
        while (const auto rounds = comparison.next_rounds()) {
          if (!comparison.tell(noise.next_process(*rounds, slowdown), {1e6 * 2 * *rounds}).ok()) return ExitCode::kInternal;
        }
        const ComparisonResult result = comparison.result();
        regressed.events += result.verdict == Verdict::kRegressed ? 1 : 0;
        improved.events += result.verdict == Verdict::kImproved ? 1 : 0;
        inconclusive += result.verdict == Verdict::kInconclusive ? 1 : 0;
        processes += result.processes;
      }
      const double mean_processes = static_cast<double>(processes) / options.models;
      char mean[16];
      std::snprintf(mean, sizeof mean, "%.1f", mean_processes);
      cells.push_back({std::string(model.name), slowdown_text(slowdown), rate_text(regressed, slowdown > options.spec.rule.margin),
                       rate_text(improved, false), std::to_string(inconclusive), mean});
      rows.push_back({{"model", model.name},
                      {"slowdown", slowdown},
                      {"trials", options.models},
                      {"regressed", regressed.events},
                      {"improved", improved.events},
                      {"inconclusive", inconclusive},
                      {"processes", mean_processes}});
    }
  }
  if (invocation.json) return print_document({{"schema", "fuselab.selftest-models/1"}, {"rows", rows}});
  const std::vector<Column> columns = {
      {"model"}, {"sides"}, {"regressed"}, {"improved"}, {"inconclusive", Align::kRight}, {"processes", Align::kRight}};
  std::fputs(render_table(columns, cells, Terminal::of_stdout()).c_str(), stdout);
  for (const NoiseModel& model : noise_models()) std::printf("%s: %s\n", model.name.data(), model.what.data());
  return ExitCode::kOk;
}

// Prints the rates of a record's comparisons and of suites drawn from them, without any device.
ExitCode try_suites(const Invocation& invocation, const SelftestOptions& options) {
  if (options.record.empty()) return fail(invocation, invalid_argument("--suites draws from a record: --record FILE"));
  auto stored = engine::read_selftest(options.record);
  if (!stored.ok()) return fail(invocation, stored.error());
  const auto rates = engine::resample_suites(stored.value(), options.suites, options.spec.seed);
  if (!rates.ok()) return fail(invocation, rates.error().within(options.record));
  if (invocation.json) return print_document(suites_json(rates.value()));
  SelftestReport report;
  report.kernels = std::move(stored.value().kernels);
  report.trials = std::move(stored.value().trials);
  const SelftestSpec& spec = stored.value().spec;
  std::printf("%s\n", engine::registration(spec, stored.value().commit).c_str());
  std::fputs(report_text(report, spec.rule.margin, Terminal::of_stdout()).c_str(), stdout);
  std::fputs(suites_text(rates.value()).c_str(), stdout);
  return ExitCode::kOk;
}

ExitCode selftest(const Invocation& invocation, SelftestOptions& options) {
  SelftestSpec& spec = options.spec;
  spec.rule.margin = options.margin_percent / 100;
  spec.rule.budget = {options.budget_seconds * 1e9};
  spec.record = options.record;
  if (!options.slowdown_percents.empty()) spec.slowdowns.clear();
  for (const double percent : options.slowdown_percents) spec.slowdowns.push_back(percent / 100);
  if (options.models > 0 && !options.record.empty()) return fail(invocation, invalid_argument("--models has no samples to record"));
  if (options.models > 0) return try_models(invocation, options);
  if (options.suites > 0) return try_suites(invocation, options);
  if (spec.slice_seconds > 0 && options.record.empty())
    return fail(invocation, invalid_argument("--slice leaves the rest for later, which takes --record FILE"));
  if (spec.identical + spec.slowed == 0)
    return fail(invocation, invalid_argument("no comparison was asked for: --aa N, --slowed N"));
  const bool talk = !invocation.quiet && !invocation.json;
  if (talk) std::printf("%s\n", engine::registration(spec, engine::source_commit()).c_str());
  const Terminal errors = Terminal::of_stderr();
  const auto on_trial = [&](const SelftestReport& report) {
    if (invocation.quiet || !errors.interactive) return;
    const engine::SelftestTrial& trial = report.trials.back();
    std::fprintf(stderr, "\r\033[K%zu of %d  %s %s: %s", report.trials.size(), report.wanted, trial.kernel.c_str(),
                 slowdown_text(trial.slowdown).c_str(),
                 trial.judged() ? std::string(name_of(trial.first.result.verdict)).c_str() : "failed");
  };
  const auto report = engine::run_selftest(invocation.config, spec, on_trial, {});
  if (errors.interactive && !invocation.quiet) std::fputs("\r\033[K", stderr);
  if (!report.ok()) return fail(invocation, report.error());
  // The report stands even if its summary cannot be kept; only later verdicts then lack it.
  const Status kept = engine::keep_summary(engine::selftests_of(invocation.config), engine::summary_of(spec, report.value()));
  if (!kept.ok()) std::fprintf(stderr, "fuselab: %s\n", plain_line(kept.error().message).c_str());
  const std::string rest = std::to_string(report.value().trials.size()) + " of " + std::to_string(report.value().wanted) +
                           " comparisons are done: the same command continues with the rest";
  std::optional<Error> open;
  if (!report.value().is_complete()) open = Error{ErrorCode::kCancelled, rest};
  if (invocation.json) return print_document(report_json(report.value(), engine::source_commit()), open);
  std::fputs(report_text(report.value(), spec.rule.margin, Terminal::of_stdout()).c_str(), stdout);
  if (!open) return ExitCode::kOk;
  if (talk) std::printf("%s.\n", rest.c_str());
  return exit_code_for(*open);
}

}  // namespace

void add_selftest_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<SelftestOptions>();
  SelftestSpec& spec = options->spec;
  command.add_option("SUBJECT", spec.subjects, "Built-in workloads; without any, ten of them at fixed sizes");
  add_shape_option(command, spec.bindings);
  command.add_option("--device", spec.device, "On this device (cpu:0) or backend (cpu)")->type_name("NAME")->capture_default_str();
  command.add_option("--dtype", spec.dtype, "Element type")->type_name("TYPE")->capture_default_str();
  command.add_option("--aa", spec.identical, "Comparisons of kernels with themselves, in all")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command
      .add_option("--slowed", spec.slowed,
                  "Comparisons with a slowed-down copy, at each slowdown: its time is spun away after each run")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command.add_option("--slowdown", options->slowdown_percents, "The slowdowns of --slowed, in percent, instead of 1, 2 and 5")
      ->delimiter(',')
      ->take_all()
      ->type_name("PERCENT")
      ->check(above_zero());
  command.add_flag("--load", spec.load, "Keep one of the host's CPUs busy meanwhile, as a neighbour would");
  command
      .add_option("--slice", spec.slice_seconds,
                  "End after so long, with exit code 4; the same command continues with what --record kept")
      ->type_name("S")
      ->check(above_zero());
  command
      .add_option("--suites", options->suites,
                  "Measure nothing: how many of so many suites, drawn from a record's comparisons, the gate would call red")
      ->type_name("N")
      ->check(not_negative());
  command
      .add_option("--models", options->models,
                  "Try the rule on three models of noise instead, this often each; no device takes part")
      ->type_name("N")
      ->check(not_negative());
  command.add_option("--margin", options->margin_percent, "Changes up to this many percent do not matter")
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(above_zero());
  command.add_option("--budget", options->budget_seconds, "Kernel time for each comparison, in seconds")
      ->type_name("S")
      ->capture_default_str()
      ->check(above_zero());
  command.add_option("--seed", spec.seed, "Of the order of the comparisons, of their rounds, and of the models of noise")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command.add_option("--record", options->record, "Keep all samples in this file, and continue it where it was left")
      ->type_name("FILE");
  show_examples(command, {"fuselab selftest --aa 20", "fuselab selftest --aa 2000 --slowed 200 --record selftest.jsonl --slice 600",
                          "fuselab selftest --suites 10000 --record selftest.jsonl",
                          "fuselab selftest w3 --shape rows=512,cols=1024 --aa 50 --slowed 50", "fuselab selftest --models 4000"});
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return selftest(invocation, *options); }; });
}

}  // namespace fuselab::cli
