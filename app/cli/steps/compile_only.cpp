// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/compile_only.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::CompiledConfig;
using engine::CompileOnlyReport;
using engine::RankedPiece;

std::string resource_text(const CompiledConfig& row, const std::string& name) {
  const auto found = row.resources.find(name);
  return found == row.resources.end() ? "unknown" : std::to_string(found->second);
}

std::string occupancy_text(const CompiledConfig& row) {
  if (!row.occupancy) return "unknown";
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", 100 * *row.occupancy);
  return text;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> cells_of(const CompiledConfig& row, std::size_t place) {
  const std::string config = row.config.text() + (row.is_default ? "  (default)" : "");
  if (!row.failure.empty()) return {"–", "", "", "", "", "", config, first_line(row.failure)};
  std::vector<std::string> cells = {std::to_string(place)};
  cells.push_back(resource_text(row, "spill_bytes"));
  cells.push_back(occupancy_text(row));
  for (const char* name : {"registers", "shared_bytes", "code_bytes"}) cells.push_back(resource_text(row, name));
  cells.insert(cells.end(), {config, row.problem});
  return cells;
}

std::string counts_text(const RankedPiece& piece) {
  const auto made =
      std::count_if(piece.configs.begin(), piece.configs.end(), [](const auto& each) { return each.failure.empty(); });
  const std::string tried = std::to_string(piece.configs.size());
  const std::string space = piece.space_size < 0 ? "more than 100000" : std::to_string(piece.space_size);
  return tried + " of " + space + " configurations, " + std::to_string(made) + " compiled" +
         (made > 0 ? " by " + piece.configs.front().compiler : std::string());
}

nlohmann::json config_json(const CompiledConfig& row) {
  nlohmann::json object = {{"config", row.config.text()}, {"default", row.is_default}};
  if (!row.failure.empty()) {
    object["failure"] = row.failure;
    return object;
  }
  object["compiler"] = row.compiler;
  object["compile_ns"] = row.compile_time.count;
  object["resources"] = row.resources;
  if (row.occupancy) object["occupancy"] = *row.occupancy;
  if (!row.problem.empty()) object["problem"] = row.problem;
  return object;
}

nlohmann::json report_json(const CompileOnlyReport& report) {
  nlohmann::json pieces = nlohmann::json::array();
  for (const RankedPiece& piece : report.pieces) {
    nlohmann::json object = {{"model", piece.model}, {"binding", piece.binding}, {"key", piece.key},
                             {"name", piece.name},   {"pattern", piece.pattern}, {"configs", nlohmann::json::array()}};
    if (!piece.not_compiled.empty()) object["not_compiled"] = piece.not_compiled;
    if (piece.space_size > 0) object["space_size"] = piece.space_size;
    for (const CompiledConfig& row : piece.configs) object["configs"].push_back(config_json(row));
    pieces.push_back(std::move(object));
  }
  nlohmann::json document = {{"schema", "fuselab.compile-only/1"},
                             {"target", report.target.id},
                             {"limits", report.target.limits},
                             {"backend", report.backend},
                             {"pieces", pieces}};
  if (report.shelved > 0) document["shelved"] = report.shelved;
  return document;
}

// Something was compiled, or why nothing was.
Status outcome_of(const CompileOnlyReport& report) {
  std::string why = "the subjects have no piece";
  for (const RankedPiece& piece : report.pieces) {
    if (!piece.not_compiled.empty()) why = piece.not_compiled;
    for (const CompiledConfig& row : piece.configs) {
      if (row.failure.empty()) return {};
      why = first_line(row.failure);
    }
  }
  return Error{ErrorCode::kUnavailable, "nothing was compiled for " + report.target.id + ": " + why};
}

}  // namespace

std::string target_named(const std::string& name) {
  if (name == "avx512") return "x86-64-v4";
  if (name == "avx2") return "x86-64-v3";
  return name == "baseline" ? "x86-64" : name;
}

std::vector<std::string> writing_backends(const engine::JobSpec& job) {
  std::vector<std::string> backends;
  for (const std::string& device : job.devices.only) {
    std::string backend = device.substr(0, device.find(':'));
    if (std::find(backends.begin(), backends.end(), backend) == backends.end()) backends.push_back(std::move(backend));
  }
  return backends;
}

std::shared_ptr<CompileOnlyOptions> add_compile_only_options(CLI::App& verb) {
  const auto options = std::make_shared<CompileOnlyOptions>();
  CLI::Option* const only =
      verb.add_flag("--compile-only", options->asked, "Measure nothing: compile for --target and rank by what the compiler says");
  CLI::Option* const target = verb.add_option_function<std::string>(
      "--target", [options](const std::string& name) { options->target = target_named(name); },
      "With --compile-only: for this target, whether it is here or not: sm_90, avx2, x86-64-v4, armv8-a+simd, …");
  target->type_name("NAME")->needs(only);
  only->needs(target);
  verb.add_option("--into", options->shelf,
                  "With --compile-only: the default configurations alone, kept here for machines without a compiler")
      ->type_name("FOLDER")
      ->needs(only);
  return options;
}

std::string compile_only_text(const CompileOnlyReport& report, const Terminal& terminal) {
  std::string text;
  for (const RankedPiece& piece : report.pieces) {
    text += terminal.bold(plain_line(piece.model + " (" + piece.binding + "): " + piece.name)) + " for " + report.target.id + "\n";
    if (!piece.not_compiled.empty()) {
      text += "not compiled: " + plain_line(piece.not_compiled) + "\n\n";
      continue;
    }
    text += counts_text(piece) + "\n";
    std::vector<std::vector<std::string>> rows;
    for (std::size_t index = 0; index < piece.configs.size(); ++index) rows.push_back(cells_of(piece.configs[index], index + 1));
    const std::vector<Column> columns = {{"#", Align::kRight},
                                         {"spills", Align::kRight},
                                         {"occupancy", Align::kRight},
                                         {"registers", Align::kRight},
                                         {"shared", Align::kRight},
                                         {"code", Align::kRight},
                                         {"configuration"},
                                         {"predicted"}};
    text += render_table(columns, rows, terminal) + "\n";
  }
  return text + "Bytes; ranked by prediction. Only measuring on a device of " + report.target.id + " tells which is fastest.\n";
}

ExitCode run_compile_only(Invocation& invocation, const engine::JobSpec& job, const CompileOnlyOptions& options) {
  const auto backends = writing_backends(job);
  if (backends.size() > 1)
    return fail(invocation, invalid_argument("tune --compile-only takes one --device: the backend that writes for the target"));
  engine::CompileOnlySpec spec;
  if (!backends.empty()) spec.backend = backends.front();
  spec.subjects = job.subjects;
  spec.bindings = job.bindings;
  spec.dtype = job.dtype;
  spec.level = job.level;
  spec.trials = job.budget_trials;
  spec.prior = job.prior;
  spec.target = options.target;
  spec.shelf = options.shelf;
  const auto report = engine::compile_only(invocation.config, spec);
  if (!report.ok()) return fail(invocation, report.error());
  const Status outcome = outcome_of(report.value());
  if (invocation.json)
    return print_document(report_json(report.value()), outcome.ok() ? std::nullopt : std::optional(outcome.error()));
  std::fputs(compile_only_text(report.value(), Terminal::of_stdout()).c_str(), stdout);
  if (report.value().shelved > 0)
    std::printf("%s in %s\n", counted(report.value().shelved, "kernel").c_str(), plain_line(options.shelf).c_str());
  return outcome.ok() ? ExitCode::kOk : fail(invocation, outcome.error());
}

}  // namespace fuselab::cli
