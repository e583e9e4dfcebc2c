// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/check_json.h"
#include "app/cli/output/check_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/own_file.h"
#include "app/cli/shell/usage.h"
#include "app/cli/steps/check_options.h"
#include "app/gate/check/check_record.h"
#include "core/base/plain_text.h"
#include "core/gate/exit_decision.h"

namespace fuselab::cli {
namespace {

// Every record of the gate begins like this, since its members stand in alphabetical order.
constexpr std::string_view kRecordStart = "{\"cases\":";

// Shows the outcome of a run, as text or as the one document, and writes the files that were asked for.
ExitCode show(const Invocation& invocation, const CheckOptions& options, engine::CheckRun run) {
  const FailOn fail_on = run.fail_on;
  const CheckReport report = engine::report_of(std::move(run));
  if (invocation.json) {
    print_document(check_json(report, decisive_case(report, fail_on)));
  } else {
    std::fputs(check_text(report, Terminal::of_stdout()).c_str(), stdout);
  }
  const auto code = static_cast<ExitCode>(report.exit_code);
  // A document on stdout stays alone; GitHub's runner reads both.
  const Status written = write_reports(options.reports, report, invocation.json ? stderr : stdout);
  if (written.ok()) return code;
  std::fprintf(stderr, "fuselab: %s\n", plain_line(written.error().message).c_str());
  return code == ExitCode::kOk ? exit_code_for(written.error()) : code;
}

// No device, no file of cases: the samples of a record alone, and what failed that run unless the command says otherwise.
ExitCode replay(const Invocation& invocation, const CheckOptions& options) {
  const auto asked = options.fail_on.empty() ? Result<FailOn>(FailOn()) : parse_fail_on(options.fail_on);
  if (!asked.ok()) return fail(invocation, asked.error());
  auto run = engine::read_check_record(options.replay);
  if (!run.ok()) return fail(invocation, run.error());
  if (!options.fail_on.empty()) run.value().fail_on = asked.value();
  return show(invocation, options, std::move(run).value());
}

// Returns what the command says, else what the file says, else every outcome that has a code.
Result<FailOn> fail_on_of(const CheckOptions& options) {
  if (!options.fail_on.empty()) return parse_fail_on(options.fail_on);
  const engine::CheckConfig& config = options.spec.config;
  if (config.fail_on.empty()) return usual_fail_on();
  auto chosen = parse_fail_on(config.fail_on);
  if (!chosen.ok()) return chosen.error().within(options.config + ": fail-on");
  return chosen;
}

// Takes the mode from the command, else from the file, else paired. A commit is always compared in pairs.
Status take_baseline_mode(CheckOptions& options) {
  engine::CheckSpec& spec = options.spec;
  if (spec.against.empty()) spec.baseline_mode = spec.config.baseline_mode.value_or(engine::BaselineMode::kPaired);
  if (!options.baseline_mode.empty()) {
    const auto asked = engine::parse_baseline_mode(options.baseline_mode);
    if (!asked.ok()) return asked.error().within("--baseline-mode");
    spec.baseline_mode = asked.value();
  }
  if (!spec.cross_machine || spec.baseline_mode == engine::BaselineMode::kHistorical) return {};
  return invalid_argument(
      "--cross-machine goes with --baseline-mode historical: else both kernels run here, whatever machine saved one");
}

ExitCode check(const Invocation& invocation, CheckOptions& options) {
  if (const Status may = may_write_reports(options.reports, options.record); !may.ok()) return fail(invocation, may.error());
  if (!options.replay.empty()) return replay(invocation, options);
  if (!options.record.empty()) {
    if (const Status may = may_write_own(options.record, kRecordStart); !may.ok()) return fail(invocation, may.error());
  }
  auto config = engine::read_check_config(options.config);
  if (!config.ok()) return fail(invocation, config.error());
  engine::CheckSpec& spec = options.spec;
  spec.config = std::move(config).value();
  const auto fail_on = fail_on_of(options);
  if (!fail_on.ok()) return fail(invocation, fail_on.error());
  if (const Status taken = take_baseline_mode(options); !taken.ok()) return fail(invocation, taken.error());
  spec.baseline = !options.baseline.empty() ? std::filesystem::path(options.baseline) : spec.config.baseline;
  if (spec.baseline.empty()) spec.baseline = (spec.config.folder / "fuselab.baseline").lexically_normal();
  spec.selftest = options.selftest.empty() ? spec.config.selftest : std::filesystem::path(options.selftest);
  if (const Status taken = take_drills(options); !taken.ok()) return fail(invocation, taken.error());
  if (invocation.config.database != engine::config_from_environment("").database) options.database = invocation.config.database;
  options.synthetic = invocation.config.synthetic;
  spec.reproduce = [&options](const std::string& name) { return command_again(options, name); };
  const Terminal errors = Terminal::of_stderr();
  const bool live = errors.interactive && !invocation.quiet;
  const auto on_case = [&](const CaseOutcome& outcome, std::size_t done) {
    if (live) std::fprintf(stderr, "\r\033[K%zu  %s", done, plain_line(outcome.name + " on " + outcome.device).c_str());
  };
  spec.on_note = [&](const std::string& note) {
    if (!invocation.quiet) std::fprintf(stderr, "%s%s\n", live ? "\r\033[K" : "", plain_line(note).c_str());
  };
  const Interruption interruption;
  auto run = engine::run_check(invocation.config, spec, on_case, interruption.token());
  if (live) std::fputs("\r\033[K", stderr);
  if (!run.ok()) return fail(invocation, run.error());
  run.value().fail_on = fail_on.value();
  const Status recorded = options.record.empty() ? Status() : engine::write_check_record(options.record, run.value());
  const ExitCode code = show(invocation, options, std::move(run).value());
  if (recorded.ok()) return code;
  // The verdict was told and stands; only its record is missing.
  std::fprintf(stderr, "fuselab: %s\n", plain_line(recorded.error().message).c_str());
  return code == ExitCode::kOk ? exit_code_for(recorded.error()) : code;
}

}  // namespace

void add_check_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<CheckOptions>();
  engine::CheckSpec& spec = options->spec;
  command.add_option("--config", options->config, "The file that lists the cases")->type_name("FILE")->capture_default_str();
  command
      .add_option("--baseline", options->baseline,
                  "What `fuselab baseline save` wrote (default: as the file says, else fuselab.baseline beside it)")
      ->type_name("FILE");
  CLI::Option* const mode =
      command
          .add_option("--baseline-mode", options->baseline_mode,
                      "What a verdict stands on: paired, the baseline's own kernels run beside today's; golden, the same of a file "
                      "that must have an expiry; historical, the times that the file keeps of this machine, nothing of it is run "
                      "(default: as the file says, else paired)")
          ->type_name("MODE");
  CLI::Option* const across = command.add_flag(
      "--cross-machine", spec.cross_machine,
      "Historical: where the file keeps no times of this machine, show those of another; they decide nothing (exit 4)");
  command
      .add_option("--against", spec.against,
                  "Compare with the cases, lines and models, of this commit of the repository around the file of cases instead, "
                  "both through this Fuselab")
      ->type_name("COMMIT")
      ->excludes("--baseline")
      ->excludes(mode)
      ->excludes(across);
  command.add_option("--case", spec.cases, "Only these cases")->take_all()->type_name("NAME");
  command.add_option("--device", spec.devices, "On these devices (cpu:0) or backends (cpu) instead of each case's own")
      ->take_all()
      ->type_name("NAME");
  command.add_option("--target", spec.target, "Generate for this target, as on a CPU that runs no more: x86-64-v3")
      ->type_name("NAME");
  command
      .add_option("--fail-on", options->fail_on,
                  "Which ends of a case fail the run: regressed, wrong-result, failed, misconfigured, no-baseline, untrusted, "
                  "expired, renamed, new, unfit, insensitive, inconclusive; or none (default: all but new and inconclusive)")
      ->delimiter(',')
      ->take_all()
      ->type_name("STATE");
  command
      .add_option("--drill", options->drills,
                  "Slow every candidate, or those of one case, by this many percent, to see that the gate finds it")
      ->take_all()
      ->type_name("[CASE=]PERCENT");
  command
      .add_flag("--null-control", spec.null_control,
                "Compare each case's kernel with itself, though nothing changed: what is called then is a false alarm")
      ->excludes("--baseline")
      ->excludes(mode)
      ->excludes(across)
      ->excludes("--against");
  command
      .add_option("--selftest", options->selftest,
                  "Show this self-test's rate of false alarms beside the verdicts: what `fuselab selftest --record` wrote "
                  "(default: as the file says)")
      ->type_name("FILE");
  command.add_option("--record", options->record, "Keep all samples in this file")->type_name("FILE");
  add_report_options(command, options->reports);
  command.add_option("--seed", spec.seed, "Of the order of rounds")->type_name("N")->capture_default_str()->check(not_negative());
  command.add_option("--replay", options->replay, "Measure nothing: say again what the samples of such a file say")
      ->type_name("FILE")
      ->excludes("--config")
      ->excludes("--baseline")
      ->excludes(mode)
      ->excludes(across)
      ->excludes("--against")
      ->excludes("--case")
      ->excludes("--device")
      ->excludes("--target")
      ->excludes("--drill")
      ->excludes("--null-control")
      ->excludes("--selftest")
      ->excludes("--record")
      ->excludes("--seed");
  show_examples(command,
                {"fuselab check", "fuselab check --case softmax --fail-on regressed,wrong-result", "fuselab check --drill 5",
                 "fuselab check --null-control --drill softmax=5", "fuselab check --junit junit.xml --html check.html",
                 "fuselab check --against main", "fuselab check --baseline-mode historical",
                 "fuselab check --config ci/fuselab.toml --baseline main.baseline --json"});
  command.footer(
      command.get_footer() +
      "\n\nExit codes: of the worst case that counts, in this order: regressed 1, wrong result 7, failed 3, misconfigured 2, no\n"
      "baseline, untrusted, expired, renamed 5, unfit 6, insensitive 4; else 0. Improved, equivalent, unconfirmed, same, new and\n"
      "inconclusive cases pass. A case is insensitive where the budget ended before a verdict, and a slowdown of `detect` could\n"
      "have gone unseen.\n\n"
      "A fuselab.toml:\n"
      "  [check]\n"
      "  margin = 1         # percent; changes up to it do not matter\n"
      "  detect = 5         # percent; a slowdown that must not go unseen\n"
      "  [[case]]\n"
      "  name = \"softmax\"\n"
      "  subject = \"w5\"     # a workload, or a model's path: models/encoder.onnx\n"
      "  shape = \"rows=128,cols=1024\"");
  command.callback([&invocation, options] { invocation.action = [&invocation, options] { return check(invocation, *options); }; });
}

}  // namespace fuselab::cli
