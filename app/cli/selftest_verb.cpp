// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/terminal.h"
#include "app/cli/usage.h"
#include "app/session/gate/selftest.h"
#include "core/base/plain_text.h"
#include "core/compare/noise_model.h"

namespace fuselab::cli {
namespace {

using session::SelftestRates;
using session::SelftestReport;
using session::SelftestSpec;

struct SelftestOptions {
  SelftestSpec spec;
  int models = 0;
  double margin_percent = 1;
  double budget_seconds = 2;
  std::string record;
};

std::string percentage(double share, const char* format = "%.2f %%") {
  char text[32];
  std::snprintf(text, sizeof text, format, 100 * share);
  return text;
}

std::string slowdown_text(double slowdown) {
  return slowdown == 0 ? "identical" : percentage(slowdown, "+%.3g %%");
}

// "2 of 400, at most 1.57 %" for false alarms, "397 of 400, at least 98.2 %" for what should be found.
std::string rate_text(const ErrorRate& rate, bool wanted) {
  return std::to_string(rate.events) + " of " + std::to_string(rate.trials) + (wanted ? ", at least " : ", at most ") +
         percentage(wanted ? rate.lower_bound() : rate.upper_bound());
}

std::string seconds_text(double seconds) {
  return format_duration({seconds * 1e9});
}

std::vector<std::string> cells_of(const std::string& name, const SelftestRates& rates, double margin) {
  bool const wanted = rates.slowdown > margin;
  return {name,
          slowdown_text(rates.slowdown),
          rate_text(rates.alarmed, wanted),
          rate_text(rates.confirmed, wanted),
          std::to_string(rates.equivalent),
          std::to_string(rates.inconclusive),
          std::to_string(rates.failed),
          rates.minimum_detectable > 0 ? percentage(rates.minimum_detectable, "+%.2g %%") : "",
          seconds_text(rates.kernel_seconds),
          seconds_text(rates.wall_seconds)};
}

std::string report_text(const SelftestReport& report, double margin, const Terminal& terminal) {
  std::vector<Column> const columns = {{"kernel"},
                                       {"sides"},
                                       {"called a change"},
                                       {"confirmed"},
                                       {"equivalent", Align::kRight},
                                       {"inconclusive", Align::kRight},
                                       {"failed", Align::kRight},
                                       {"would see", Align::kRight},
                                       {"kernel time", Align::kRight},
                                       {"wall time", Align::kRight}};
  std::vector<std::vector<std::string>> cells;
  std::string failures;
  for (const session::SelftestKernel& kernel : report.kernels) {
    if (!kernel.failure.empty()) failures += plain_line(kernel.failure) + "\n";
    std::string const name = kernel.name + " " + kernel.binding;
    for (const SelftestRates& rates : session::rates_of(report.trials, name)) {
      if (rates.slowdown == 0) cells.push_back(cells_of(name, rates, margin));
    }
  }
  for (const SelftestRates& rates : session::rates_of(report.trials)) cells.push_back(cells_of("all kernels", rates, margin));
  int disturbed = 0, processes = 0;
  for (const session::SelftestTrial& trial : report.trials) {
    disturbed += trial.first.disturbed();
    processes += static_cast<int>(trial.first.processes.size());
  }
  return render_table(columns, cells, terminal) + failures + std::to_string(disturbed) + " of " + std::to_string(processes) +
         " processes were disturbed by other load and discarded. Bounds hold with 95 % confidence;\n"
         "\"would see\" is the slowdown that such comparisons call a regression 19 times in 20; it and the times are medians.\n";
}

nlohmann::json rates_json(const SelftestRates& rates) {
  auto const rate = [](const ErrorRate& each) {
    return nlohmann::json{
        {"events", each.events}, {"trials", each.trials}, {"low", each.lower_bound()}, {"high", each.upper_bound()}};
  };
  return {
      {"slowdown", rates.slowdown},         {"called", rate(rates.alarmed)},    {"confirmed", rate(rates.confirmed)},
      {"equivalent", rates.equivalent},     {"failed", rates.failed},           {"minimum_detectable", rates.minimum_detectable},
      {"inconclusive", rates.inconclusive}, {"kernel_s", rates.kernel_seconds}, {"wall_s", rates.wall_seconds}};
}

nlohmann::json report_json(const SelftestReport& report) {
  nlohmann::json kernels = nlohmann::json::array(), all = nlohmann::json::array();
  for (const session::SelftestKernel& kernel : report.kernels) {
    nlohmann::json rates = nlohmann::json::array();
    for (const SelftestRates& each : session::rates_of(report.trials, kernel.name + " " + kernel.binding))
      rates.push_back(rates_json(each));
    nlohmann::json object = {{"name", kernel.name}, {"shape", kernel.binding}, {"rates", rates}};
    if (!kernel.failure.empty()) object["reason"] = kernel.failure;
    kernels.push_back(std::move(object));
  }
  for (const SelftestRates& each : session::rates_of(report.trials)) all.push_back(rates_json(each));
  return {{"schema", "fuselab.selftest/1"}, {"device", report.device.id}, {"kernels", kernels}, {"all", all}};
}

// The rule on noise whose truth is known: no device takes part.
ExitCode try_models(const Invocation& invocation, const SelftestOptions& options) {
  std::vector<std::vector<std::string>> cells;
  nlohmann::json rows = nlohmann::json::array();
  for (const NoiseModel& model : noise_models()) {
    for (double const slowdown : {0.0, 0.01, 0.02, 0.05}) {
      ErrorRate regressed{0, options.models}, improved{0, options.models};
      std::int64_t inconclusive = 0, processes = 0;
      for (int trial = 0; trial < options.models; ++trial) {
        Comparison comparison(options.spec.rule);
        NoiseSource noise(model, options.spec.seed + 1'000'003ULL * static_cast<std::uint64_t>(trial));
        while (auto const rounds = comparison.next_rounds()) {
          if (!comparison.tell(noise.next_process(*rounds, slowdown), {1e6 * 2 * *rounds}).ok()) return ExitCode::kInternal;
        }
        ComparisonResult const result = comparison.result();
        regressed.events += result.verdict == Verdict::kRegressed ? 1 : 0;
        improved.events += result.verdict == Verdict::kImproved ? 1 : 0;
        inconclusive += result.verdict == Verdict::kInconclusive ? 1 : 0;
        processes += result.processes;
      }
      double const mean_processes = static_cast<double>(processes) / options.models;
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
  std::vector<Column> const columns = {
      {"model"}, {"sides"}, {"regressed"}, {"improved"}, {"inconclusive", Align::kRight}, {"processes", Align::kRight}};
  std::fputs(render_table(columns, cells, Terminal::of_stdout()).c_str(), stdout);
  for (const NoiseModel& model : noise_models()) std::printf("%s: %s\n", model.name.data(), model.what.data());
  return ExitCode::kOk;
}

ExitCode selftest(const Invocation& invocation, SelftestOptions& options) {
  SelftestSpec& spec = options.spec;
  spec.rule.margin = options.margin_percent / 100;
  spec.rule.budget = {options.budget_seconds * 1e9};
  spec.record = options.record;
  if (options.models > 0 && !options.record.empty()) return fail(invocation, invalid_argument("--models has no samples to record"));
  if (options.models > 0) return try_models(invocation, options);
  if (spec.identical + spec.slowed == 0)
    return fail(invocation, invalid_argument("no comparison was asked for: --aa N, --slowed N"));
  bool const talk = !invocation.quiet && !invocation.json;
  if (talk) std::printf("%s\n", session::registration(spec).c_str());
  Terminal const errors = Terminal::of_stderr();
  std::size_t const wanted =
      static_cast<std::size_t>(spec.identical) + spec.slowdowns.size() * static_cast<std::size_t>(spec.slowed);
  auto const on_trial = [&](const SelftestReport& report) {
    if (invocation.quiet || !errors.interactive) return;
    const session::SelftestTrial& trial = report.trials.back();
    std::fprintf(stderr, "\r\033[K%zu of %zu  %s %s: %s", report.trials.size(), wanted, trial.kernel.c_str(),
                 slowdown_text(trial.slowdown).c_str(), std::string(name_of(trial.first.result.verdict)).c_str());
  };
  auto const report = session::run_selftest(invocation.config, spec, on_trial, {});
  if (errors.interactive && !invocation.quiet) std::fputs("\r\033[K", stderr);
  if (!report.ok()) return fail(invocation, report.error());
  if (invocation.json) return print_document(report_json(report.value()));
  std::fputs(report_text(report.value(), spec.rule.margin, Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_selftest_verb(CLI::App& app, Invocation& invocation) {
  auto const options = std::make_shared<SelftestOptions>();
  SelftestSpec& spec = options->spec;
  CLI::App* const command = app.add_subcommand(
      "selftest", "How often comparisons raise a false alarm here: kernels against themselves, and against themselves slowed");
  command->add_option("SUBJECT", spec.subjects, "Built-in workloads; without any, ten of them at fixed sizes");
  add_shape_option(*command, spec.bindings);
  command->add_option("--device", spec.device, "On this device (cpu:0) or backend (cpu)")->type_name("NAME")->capture_default_str();
  command->add_option("--dtype", spec.dtype, "Element type")->type_name("TYPE")->capture_default_str();
  command->add_option("--aa", spec.identical, "Comparisons of a kernel with itself")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--slowed", spec.slowed, "Comparisons at each of +1 %, +2 % and +5 %, spun away after each run")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("--models", options->models,
                   "Try the rule on three models of noise instead, this often each; no device takes part")
      ->type_name("N")
      ->check(not_negative());
  command->add_option("--margin", options->margin_percent, "Changes up to this many percent do not matter")
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(above_zero());
  command->add_option("--budget", options->budget_seconds, "Kernel time for each comparison, in seconds")
      ->type_name("S")
      ->capture_default_str()
      ->check(above_zero());
  command->add_option("--seed", spec.seed, "Of the order of the comparisons, of their rounds, and of the models of noise")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command->add_option("--record", options->record, "Keep all samples in this file, and go on with it where it was left")
      ->type_name("FILE");
  show_examples(*command, {"fuselab selftest --aa 20", "fuselab selftest --aa 2000 --slowed 200 --record selftest.jsonl",
                           "fuselab selftest w3 --shape rows=512,cols=1024 --aa 50 --slowed 50", "fuselab selftest --models 4000"});
  command->callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return selftest(invocation, *options); }; });
}

}  // namespace fuselab::cli
