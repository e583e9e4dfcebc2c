// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/strategies.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::OptimizationResult;
using engine::Strategy;

std::string gain_figure(double gain) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", gain);
  return text;
}

std::string strategies_text(const std::vector<Strategy>& strategies, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const Strategy& each : strategies) {
    const bool known = each.measured > 0;
    rows.push_back({each.name, joined(each.levels), std::to_string(each.measured), known ? gain_figure(each.gain) : "…",
                    known ? gain_figure(each.least) : "", known ? gain_figure(each.most) : "", std::to_string(each.losing),
                    each.description});
  }
  return render_table({{"strategy"},
                       {"levels"},
                       {"measured", Align::kRight},
                       {"gain", Align::kRight},
                       {"least", Align::kRight},
                       {"most", Align::kRight},
                       {"losing", Align::kRight},
                       {"what"}},
                      rows, terminal);
}

std::string result_text(const OptimizationResult& result, const engine::CompareTable& table, const Terminal& terminal) {
  std::string text = terminal.bold(title_text(table)) + (result.success ? "" : ": not all of it was measured");
  const char* separator = ": ";
  for (const auto& [name, value] : result.metrics) {
    text += separator + (name == "gain" ? "gain " + gain_figure(value) + " (best_unfused / best_mix)"
                                        : name.substr(0, name.rfind("_ns")) + " " + format_duration({value}));
    separator = ", ";
  }
  text += "\n";
  for (const std::string& each : result.applied) text += "  " + plain_line(each) + "\n";
  for (const std::string& each : result.warnings) text += "  warning: " + plain_text(each) + "\n";
  return text;
}

nlohmann::json strategies_json(const std::vector<Strategy>& strategies, const std::vector<OptimizationResult>& results) {
  nlohmann::json list = nlohmann::json::array(), models = nlohmann::json::array();
  for (const Strategy& each : strategies) {
    list.push_back({{"name", each.name},
                    {"description", each.description},
                    {"levels", each.levels},
                    {"measured", each.measured},
                    {"losing", each.losing}});
    if (each.measured > 0) list.back().update({{"gain", each.gain}, {"least", each.least}, {"most", each.most}});
  }
  for (const OptimizationResult& each : results)
    models.push_back({{"model", each.model},
                      {"binding", each.binding},
                      {"level", each.level},
                      {"success", each.success},
                      {"optimizations_applied", each.applied},
                      {"warnings", each.warnings},
                      {"metrics", each.metrics}});
  return {{"schema", "fuselab.gains/1"}, {"strategies", list}, {"results", models}};
}

ExitCode show_gains(Invocation& invocation, const engine::CompareSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const auto tables = engine.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  const Status verdict = verdict_on_stored(tables.value(), *engine.value(), spec);
  const auto measured = engine::measured_strategies(tables.value());
  std::vector<OptimizationResult> results;
  for (const engine::CompareTable& table : tables.value()) results.push_back(engine::optimization_result(table));
  if (invocation.json) return print_document(strategies_json(measured, results), problem_of(verdict));
  if (!verdict.ok()) return fail(invocation, verdict.error());
  const Terminal terminal = Terminal::of_stdout();
  std::fputs((strategies_text(measured, terminal) + "\n").c_str(), stdout);
  for (std::size_t i = 0; i < results.size(); ++i) std::fputs(result_text(results[i], tables.value()[i], terminal).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_gains_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<engine::CompareSpec>();
  spec->at_once = true;
  spec->every_question = true;  // what a level gains is seen beside the others
  add_stored_options(command, *spec, "Of these devices (cpu:0) or backends (cpu) only; several: repeat");
  show_examples(command, {"fuselab gains", "fuselab gains bert-layer", "fuselab gains --json"});
  command.callback([&invocation, spec] { invocation.action = [&invocation, spec] { return show_gains(invocation, *spec); }; });
}

}  // namespace fuselab::cli
