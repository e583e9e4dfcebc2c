// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/shell/usage.h"
#include "app/cli/steps/fused_subject.h"
#include "app/engine/execute/execute_subject.h"
#include "app/engine/execute/steady_sums.h"
#include "app/views/execution_words.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::Degradation;
using engine::ExecutedSubject;
using engine::ExecutedUse;
using engine::ExecuteSpec;
using engine::ExecutionMetrics;
using engine::OutputSummary;

std::string degradation_text(const Degradation& each) {
  return plain_line(each.piece) + ": " + each.from + " → " + (each.to.empty() ? "nowhere" : each.to) + ", because " +
         plain_text(each.reason);
}

std::string uses_text(const std::vector<ExecutedUse>& uses, const Terminal& terminal) {
  const bool steady = std::any_of(uses.begin(), uses.end(), [](const ExecutedUse& use) { return use.steady.count > 0; });
  std::vector<std::vector<std::string>> rows;
  for (const ExecutedUse& use : uses) {
    rows.push_back({plain_line(use.name), use.ran_on, format_duration(use.execution) + (use.first_launch ? " (first)" : "")});
    if (steady) rows.back().push_back(format_duration(use.steady));
    rows.back().push_back(plain_line(use.why));
  }
  std::vector<Column> columns = {{"piece"}, {"ran on"}, {"execution", Align::kRight}, {"why there"}};
  if (steady) columns.insert(columns.end() - 1, {"steady", Align::kRight});
  return render_table(columns, rows, terminal);
}

std::string output_text(const OutputSummary& output) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "min %.6g, mean %.6g, max %.6g", output.minimum, output.mean, output.maximum);
  std::string text = plain_line(output.name) + ": " + type_text(output.type) + ", " + numbers;
  if (output.not_finite > 0) text += ", " + counted(output.not_finite, "value") + " not finite";
  text += ", SHA-256 " + output.hash.substr(0, 16);
  return output.file.empty() ? text : text + ", saved in " + output.file;
}

std::string expectation_text(const engine::Expectation& each) {
  const std::string run = each.run > 0 ? " of run " + std::to_string(each.run) : "";
  std::string text =
      plain_line(each.output) + run + (each.met() ? " is" : " is NOT") + " what " + plain_line(each.file) + " holds: ";
  if (each.worst_at.empty()) return text + "all of " + counted(each.numbers, "number") + " are the same";
  char worst[192];
  std::snprintf(worst, sizeof worst, "%.9g, expected %.9g, tolerated %.3g", each.worst_found, each.worst_expected,
                each.worst_tolerated);
  return text + std::to_string(each.differ) + " of " + counted(each.numbers, "number") +
         " differ by more than is tolerated, the worst at " + each.worst_at + ": " + worst;
}

// "At most 617 MiB lay in memory here, where the model was read, and 249 MiB in the worker of cpu:0."
std::string peak_text(const engine::PeakMemory& peak) {
  std::string text = "At most " + format_bytes(peak.here) + " lay in memory here, where it was read";
  for (const auto& [device, bytes] : peak.workers) text += ", and " + format_bytes(bytes) + " in the worker of " + device;
  return text + ".";
}

void print_outputs(const ExecutedSubject& executed) {
  std::fputs("Outputs\n", stdout);
  for (std::size_t run = 0; run < executed.steps.size(); ++run) {
    for (const OutputSummary& output : executed.steps[run].outputs)
      std::printf("  run %zu, %s\n", run + 1, output_text(output).c_str());
  }
  if (!executed.steps.empty()) return;
  for (const OutputSummary& output : executed.outputs) std::printf("  %s\n", output_text(output).c_str());
}

// By kind of piece, the longest first; and whole passes, once weights are laid out and memory has been touched.
std::string steady_text(const engine::SteadySums& sums, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const engine::SteadyRow& row : sums.rows) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f %%", 100 * row.share);
    rows.push_back({plain_line(row.operators), std::to_string(row.pieces), format_duration(row.time), share});
  }
  return render_table({{"operators"}, {"pieces", Align::kRight}, {"steady", Align::kRight}, {"share", Align::kRight}}, rows,
                      terminal) +
         "steady: all kernels of a pass take " + format_duration(sums.least) + " at least, " + format_duration(sums.median) +
         " in the median, 95 % of " + counted(sums.passes, "pass", "passes") + " at most " + format_duration(sums.most95) + "\n";
}

void print_executed(const ExecutedSubject& executed, const Terminal& terminal) {
  const std::string binding = executed.binding.empty() ? "" : " (" + executed.binding + ")";
  std::printf("%s\n", terminal.bold(plain_line(executed.model + binding)).c_str());
  std::printf("It %s.\n", executed.memory.c_str());
  std::printf("%s\n", peak_text(executed.peak).c_str());
  std::printf("%s\n", uses_text(executed.runs.back().uses, terminal).c_str());
  int run = 0;
  for (const engine::ExecutionResult& result : executed.runs) {
    ++run;
    for (const ExecutionMetrics& metrics : result.stages) std::printf("run %d, %s\n", run, metrics_text(metrics).c_str());
  }
  for (const auto& [backend, counts] : executed.counts)
    std::printf("%s: %s, %lld failed (%.0f %% succeeded), %lld degraded to another, %lld taken over\n", backend.c_str(),
                counted(counts.executions, "execution").c_str(), static_cast<long long>(counts.failures),
                100 * counts.success_rate(), static_cast<long long>(counts.left), static_cast<long long>(counts.taken));
  if (const auto sums = engine::steady_sums(executed.runs.back())) std::fputs(steady_text(*sums, terminal).c_str(), stdout);
  print_outputs(executed);
  std::printf("Inputs and weights: %d given, %d from the file, %d made from the seed\n", executed.given, executed.from_file,
              executed.from_seed);
  for (const engine::Expectation& each : executed.expectations) std::printf("%s\n", expectation_text(each).c_str());
  if (executed.verification) std::printf("%s\n", engine::numerics_text(*executed.verification).c_str());
  if (executed.file_check) std::printf("%s\n", engine::file_check_text(*executed.file_check).c_str());
}

nlohmann::json metrics_json(const ExecutionMetrics& metrics) {
  nlohmann::json object = {{"device", metrics.device_id},
                           {"backend", metrics.backend},
                           {"elements", metrics.data_size},
                           {"total_ns", metrics.total.count},
                           {"execution_ns", metrics.execution.count},
                           {"first_launch_ns", metrics.first_launch.count},
                           {"transfer_ns", metrics.transfer.count},
                           {"compilation_ns", metrics.compilation.count},
                           {"waiting_ns", metrics.waiting.count},
                           {"memory_bytes", metrics.memory_allocated.count},
                           {"buffers", metrics.buffers},
                           {"tensors", metrics.tensors},
                           {"tensor_bytes", metrics.memory_unshared.count},
                           {"cache_hit", metrics.cache_hit},
                           {"success", metrics.success}};
  if (!metrics.success) object["error"] = metrics.error;
  return object;
}

nlohmann::json run_json(const engine::ExecutionResult& run) {
  nlohmann::json uses = nlohmann::json::array(), stages = nlohmann::json::array(), degradations = nlohmann::json::array();
  for (const ExecutedUse& use : run.uses) {
    uses.push_back({{"name", use.name},
                    {"operators", use.operators},
                    {"ran_on", use.ran_on},
                    {"why", use.why},
                    {"execution_ns", use.execution.count},
                    {"first_launch", use.first_launch}});
    if (use.steady.count > 0) uses.back()["steady_ns"] = use.steady.count;
  }
  for (const ExecutionMetrics& stage : run.stages) stages.push_back(metrics_json(stage));
  for (const Degradation& each : run.degradations)
    degradations.push_back({{"piece", each.piece}, {"from", each.from}, {"to", each.to}, {"reason", each.reason}});
  nlohmann::json object = {{"pieces", uses}, {"stages", stages}, {"degradations", degradations}};
  if (const auto sums = engine::steady_sums(run)) {
    nlohmann::json rows = nlohmann::json::array();
    for (const engine::SteadyRow& row : sums->rows)
      rows.push_back({{"operators", row.operators}, {"pieces", row.pieces}, {"time_ns", row.time.count}, {"share", row.share}});
    object["steady"] = {{"passes", sums->passes},
                        {"least_ns", sums->least.count},
                        {"median_ns", sums->median.count},
                        {"most95_ns", sums->most95.count},
                        {"operators", rows}};
  }
  return object;
}

nlohmann::json outputs_json(const std::vector<OutputSummary>& outputs) {
  nlohmann::json array = nlohmann::json::array();
  for (const OutputSummary& output : outputs) {
    array.push_back({{"name", output.name},
                     {"type", type_text(output.type)},
                     {"minimum", output.minimum},
                     {"mean", output.mean},
                     {"maximum", output.maximum},
                     {"not_finite", output.not_finite},
                     {"sha256", output.hash}});
    if (!output.file.empty()) array.back()["file"] = output.file;
  }
  return array;
}

nlohmann::json peak_json(const engine::PeakMemory& peak) {
  nlohmann::json workers = nlohmann::json::object();
  for (const auto& [device, bytes] : peak.workers) workers[device] = bytes.count;
  return {{"here", peak.here.count}, {"workers", workers}};
}

nlohmann::json expectation_json(const engine::Expectation& each) {
  nlohmann::json object = {{"output", each.output},
                           {"file", each.file},
                           {"met", each.met()},
                           {"largest_error", each.largest_error},
                           {"largest_expected", each.largest_expected},
                           {"numbers", each.numbers},
                           {"differ", each.differ}};
  if (!each.worst_at.empty())
    object["worst"] = {
        {"at", each.worst_at}, {"found", each.worst_found}, {"expected", each.worst_expected}, {"tolerated", each.worst_tolerated}};
  if (each.run > 0) object["run"] = each.run;
  return object;
}

nlohmann::json file_check_json(const engine::FileCheck& check) {
  if (!check.not_evaluated.empty()) return {{"evaluated", false}, {"reason", check.not_evaluated}};
  return {{"evaluated", true},
          {"passed", check.verification.passed},
          {"checked", check.verification.checked},
          {"max_error", check.verification.max_error},
          {"detail", check.verification.detail}};
}

nlohmann::json executed_json(const std::vector<ExecutedSubject>& all) {
  nlohmann::json subjects = nlohmann::json::array();
  for (const ExecutedSubject& executed : all) {
    nlohmann::json runs = nlohmann::json::array(), counts = nlohmann::json::object();
    for (const auto& run : executed.runs) runs.push_back(run_json(run));
    for (std::size_t run = 0; run < executed.steps.size(); ++run) runs[run]["outputs"] = outputs_json(executed.steps[run].outputs);
    for (const auto& [backend, each] : executed.counts)
      counts[backend] = {
          {"executions", each.executions}, {"failures", each.failures}, {"degraded", each.left}, {"taken_over", each.taken}};
    subjects.push_back({{"model", executed.model},
                        {"binding", executed.binding},
                        {"memory", executed.memory},
                        {"peak_bytes", peak_json(executed.peak)},
                        {"runs", runs},
                        {"outputs", outputs_json(executed.outputs)},
                        {"backends", counts}});
    subjects.back()["inputs"] = {{"given", executed.given}, {"from_file", executed.from_file}, {"from_seed", executed.from_seed}};
    subjects.back()["invented_weights"] = executed.invented;
    subjects.back()["notes"] = executed.notes;
    for (const engine::Expectation& each : executed.expectations) subjects.back()["expectations"].push_back(expectation_json(each));
    if (executed.verification)
      subjects.back()["check"] = {{"passed", executed.verification->passed},
                                  {"checked", executed.verification->checked},
                                  {"max_error", executed.verification->max_error},
                                  {"detail", executed.verification->detail}};
    if (executed.file_check) subjects.back()["file_check"] = file_check_json(*executed.file_check);
  }
  return {{"schema", "fuselab.exec/1"}, {"subjects", subjects}};
}

// Ctrl-C ends what runs on a device within a tenth of a second; reading the subject, looking up what is stored and checking go on
// to their end first, unless it comes again.
Result<std::vector<ExecutedSubject>> execute(engine::Engine& engine, const ExecuteSpec& spec) {
  const Interruption interruption;
  return execute_subject(engine, spec, interruption.token());
}

// In one release more, `--device` means what `--prefer` does: others are tried where those that are named fail.
void warn_of_old_meaning(const Invocation& invocation, const ExecuteSpec& spec) {
  if (spec.devices.only.empty() || !spec.fall_back || invocation.quiet) return;
  std::fputs(
      "fuselab: from the next release on, `exec --device` allows only the devices that it names, as every other verb does; "
      "--prefer tries them first and continues elsewhere, --no-fallback allows only them today\n",
      stderr);
}

using Pair = std::pair<std::string, std::string>;

// Takes "NAME=REST" apart at the first '='. A name that holds one stands in double quotes: "\"k=2\"=k.npy".
Result<Pair> pair_of(const char* option, const std::string& text) {
  const std::size_t quote = text.starts_with('"') ? text.find("\"=", 1) : std::string::npos;
  const bool quoted = quote != std::string::npos;
  const std::size_t sign = quoted ? quote + 1 : text.find('=');
  const std::string name = quoted ? text.substr(1, quote - 1) : text.substr(0, std::min(sign, text.size()));
  if (name.empty() || sign == std::string::npos || sign + 1 == text.size())
    return invalid_argument(std::string(option) + ": '" + text + "' is not NAME=…");
  return Pair(name, text.substr(sign + 1));
}

Result<std::map<std::string, std::string>> pairs_of(const char* option, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : texts) {
    FL_TRY(Pair pair, pair_of(option, text));
    const std::string name = pair.first;
    if (!pairs.insert(std::move(pair)).second) return invalid_argument(std::string(option) + ": '" + name + "' is there twice");
  }
  return pairs;
}

// Several files of one name are those of several runs, in their order.
Result<std::map<std::string, engine::TensorFiles>> files_of(const char* option, const std::vector<std::string>& texts) {
  std::map<std::string, engine::TensorFiles> files;
  for (const std::string& text : texts) {
    FL_TRY(Pair pair, pair_of(option, text));
    files[pair.first].emplace_back(std::move(pair.second));
  }
  return files;
}

struct GivenTexts {
  std::vector<std::string> inputs, values, expect, feedback;
  std::string tolerance;
  std::int64_t steps = 0;
};

// "REL" or "REL,ABS".
Result<engine::ExpectRule> rule_of(const GivenTexts& texts) {
  engine::ExpectRule rule;
  rule.steps = texts.steps;
  if (!texts.tolerance.empty()) {
    double relative = -1;
    const char* const end = texts.tolerance.data() + texts.tolerance.size();
    auto parsed = std::from_chars(texts.tolerance.data(), end, relative);
    if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ',')
      parsed = std::from_chars(parsed.ptr + 1, end, rule.absolute);
    if (parsed.ec != std::errc() || parsed.ptr != end || !(relative >= 0) || !(rule.absolute >= 0) || !std::isfinite(relative) ||
        !std::isfinite(rule.absolute))
      return invalid_argument("--tolerance: '" + texts.tolerance + "' is not REL or REL,ABS, such as 1e-3 or 1e-3,1e-6");
    rule.relative = relative;
  }
  if (rule.is_given() && texts.expect.empty())
    return invalid_argument("--tolerance and --steps need an output to compare: --expect NAME=FILE");
  return rule;
}

Result<engine::GivenTensors> given_of(const GivenTexts& texts) {
  engine::GivenTensors given;
  FL_TRY(given.inputs, files_of("--input", texts.inputs));
  FL_TRY(given.expect, files_of("--expect", texts.expect));
  FL_TRY(given.feedback, pairs_of("--feedback", texts.feedback));
  FL_TRY(given.values, numbers_of(texts.values));
  FL_TRY(given.expect_rule, rule_of(texts));
  return given;
}

// What reading the model had to say, on stderr. That weights are invented is said in any case.
void say_notes(const Invocation& invocation, const ExecutedSubject& executed) {
  constexpr std::size_t kMostNotes = 8;
  warn_of_invented(executed.invented);
  if (invocation.quiet) return;
  const std::string model = plain_line(executed.model);
  for (std::size_t i = 0; i < std::min(executed.notes.size(), kMostNotes); ++i)
    std::fprintf(stderr, "fuselab: %s: %s\n", model.c_str(), plain_line(executed.notes[i]).c_str());
  if (executed.notes.size() > kMostNotes)
    std::fprintf(stderr, "fuselab: %s: and %zu more notes; `fuselab import` shows them\n", model.c_str(),
                 executed.notes.size() - kMostNotes);
}

ExitCode exec(Invocation& invocation, const ExecuteSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, {spec.subject});
  warn_of_old_meaning(invocation, spec);
  const auto executed = execute(*engine.value(), spec);
  if (!executed.ok()) return fail(invocation, executed.error());
  std::optional<Error> problem;
  for (const ExecutedSubject& each : executed.value()) {
    say_notes(invocation, each);
    for (const std::string& line : each.passed_over) std::fprintf(stderr, "fuselab: %s\n", plain_line(line).c_str());
    for (const auto& run : each.runs) {
      for (const Degradation& degradation : run.degradations)
        std::fprintf(stderr, "fuselab: degraded: %s\n", degradation_text(degradation).c_str());
    }
    if (each.verification && !each.verification->passed) problem = Error{ErrorCode::kNumerics, each.verification->detail};
    if (each.file_check && each.file_check->failed())
      problem = Error{ErrorCode::kNumerics, engine::file_check_text(*each.file_check)};
    for (const engine::Expectation& expectation : each.expectations) {
      if (!expectation.met()) problem = Error{ErrorCode::kNumerics, expectation_text(expectation)};
    }
  }
  if (invocation.json) return print_document(executed_json(executed.value()), problem);
  const Terminal terminal = Terminal::of_stdout();
  for (const ExecutedSubject& each : executed.value()) print_executed(each, terminal);
  return problem ? fail(invocation, *problem) : ExitCode::kOk;
}

}  // namespace

void add_exec_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<ExecuteSpec>();
  const auto texts = std::make_shared<GivenTexts>();
  const auto no_fallback = std::make_shared<bool>(false);
  command.add_option("SUBJECT", spec->subject, "Built-in model or workload, .onnx or graph file, or the text of a graph")
      ->required();
  command.add_option("--shape", spec->binding, "Extents of the named dimensions, e.g. batch=8,seq=128")->type_name("NAME=N");
  add_device_options(
      command, spec->devices,
      "Run on this device (cpu:0) or backend (cpu); several: repeat. In this release it continues elsewhere where that "
      "fails, as --prefer does, and warns; --no-fallback forbids it");
  command.add_option("--dtype", spec->dtype, "Element type of built-in workloads")
      ->type_name("f32|f64|f16|bf16")
      ->capture_default_str();
  add_level_option(command, spec->level);
  add_accept_option(command, spec->accepted);
  command.add_option("--config", spec->config, "Launch configuration of a subject of one piece, on the device tried first")
      ->type_name("NAME=VALUE,…");
  command
      .add_option(
          "--input", texts->inputs,
          "The numbers of an input, NumPy's .npy, .npz (the member of that name, or FILE.npz:MEMBER) or ONNX's .pb; "
          "several: repeat. With --times N, N files of one NAME are those of "
          "the runs in order, and so are N tensors in one file: along a first axis of their own, or joined along the first. "
          "A NAME that holds '=' stands in double quotes")
      ->type_name("NAME=FILE");
  command.add_option("--value", texts->values, "One number for every element of an input; several: repeat")->type_name("NAME=N");
  command
      .add_option("--expect", texts->expect,
                  "Compare an output with a file; exit 7 where they differ. One tensor is the last run's, N are those of "
                  "the runs, as for --input")
      ->type_name("NAME=FILE");
  command
      .add_option("--tolerance", texts->tolerance,
                  "With --expect: how far a number may be from the expected one, as a share of it and, behind a comma, absolute")
      ->type_name("REL[,ABS]");
  command.add_option("--steps", texts->steps, "With --expect: so many steps of a quantised output, or of integers")
      ->type_name("N")
      ->check(above_zero());
  command
      .add_option(
          "--feedback", texts->feedback,
          "Feed an output to an input of the next run (--times N); several: repeat. At first the input is as given, else zero")
      ->type_name("INPUT=OUTPUT");
  command.add_option("--seed", spec->seed, "Of the inputs that are not given and of weights that the file does not hold")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  command.add_option("--times", spec->times, "Run it so often; kernels are made once")
      ->type_name("N")
      ->capture_default_str()
      ->check(above_zero());
  command
      .add_option("--steady", spec->steady,
                  "After each run, launch all kernels N times more on the same buffers and tell the median of each")
      ->type_name("N")
      ->check(not_negative());
  command.add_option("--save", spec->save_to, "Write the outputs into this folder, packed")->type_name("FOLDER");
  command
      .add_option("--output-dir", spec->output_directory,
                  "Write each output into this folder as NAME.npy; where runs differ, into run-1, run-2 … in it")
      ->type_name("FOLDER");
  command.add_flag("--check", spec->check, "Compare the outputs with the float64 reference");
  command.add_flag("--no-fallback", *no_fallback, "Fail instead of going on with a device that was not asked for");
  show_examples(command, {"fuselab exec w3 --check", "fuselab exec bert-layer --times 3", "fuselab exec w1 --prefer opencl",
                          "fuselab exec w1 --device opencl --no-fallback",
                          "fuselab exec model.onnx --input x=x.npy --expect y=y.npy --output-dir results",
                          "fuselab exec vad.onnx --input input=chunks.npy --feedback state=stateN --times 5"});
  command.callback([&invocation, spec, texts, no_fallback] {
    invocation.action = [&invocation, spec, texts, no_fallback] {
      spec->fall_back = !*no_fallback;
      auto given = given_of(*texts);
      if (!given.ok()) return fail(invocation, given.error());
      spec->given = std::move(given).value();
      return exec(invocation, *spec);
    };
  });
}

}  // namespace fuselab::cli
