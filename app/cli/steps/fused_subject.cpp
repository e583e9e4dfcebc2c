// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/fused_subject.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/surveys/not_run.h"
#include "app/engine/subject/subject.h"
#include "app/views/model_facts.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

// Not all is never shown as 100%.
std::string percent(double share) {
  return formatted("%.0f%%", share < 1 ? std::min(99.0, 100 * share) : 100.0);
}

}  // namespace

void add_fused_subject(CLI::App& command, FusedSubject& of) {
  command.add_option("SUBJECT", of.subject, "Built-in model or workload, .onnx or graph file, or the text of a graph")->required();
  add_shape_option(command, of.shapes, "");
  command.add_option("--value", of.values, "The whole number that an input will hold, for what hangs on it; several: repeat")
      ->type_name("NAME=N");
}

Result<std::map<std::string, double>> numbers_of(const std::vector<std::string>& texts) {
  std::map<std::string, double> numbers;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = sign == std::string::npos ? std::from_chars_result{text.data(), std::errc::invalid_argument}
                                                  : std::from_chars(text.data() + sign + 1, end, number);
    if (sign == 0 || parsed.ec != std::errc() || parsed.ptr != end)
      return invalid_argument("--value: '" + text + "' is not NAME=N");
    if (!numbers.emplace(text.substr(0, sign), number).second)
      return invalid_argument("--value: '" + text.substr(0, sign) + "' is there twice");
  }
  return numbers;
}

Result<FusionResult> fused(Invocation& invocation, const FusedSubject& of, bool what_runs) {
  FL_TRY_VOID(engine::check_shape_count(of.shapes.size(), 1));
  FL_TRY(engine::Engine* const engine, invocation.engine());
  say_what_was_taken(invocation, {of.subject});
  FL_TRY(auto numbers, numbers_of(of.values));
  return engine->fuse({of.subject, of.shapes.empty() ? "" : of.shapes.front(), of.level, of.devices, /*for_job=*/false, what_runs,
                       std::move(numbers)});
}

std::string shares_text(const FusionResult& fusion) {
  std::string text = percent(fusion.covered_share) + " of the operators read";
  if (fusion.runnable_share) text += ", " + percent(*fusion.runnable_share) + " can be run here";
  return text;
}

void print_not_runnable(const FusionResult& fusion) {
  if (fusion.not_runnable.empty()) return;
  std::puts("Cannot be run here:");
  std::fputs(not_run_lines(fusion.not_runnable).c_str(), stdout);
}

void add_runnable(const FusionResult& fusion, nlohmann::json& document) {
  document["runnable_share"] = fusion.runnable_share ? nlohmann::json(*fusion.runnable_share) : nlohmann::json();
  document["not_runnable"] = not_run_json(fusion.not_runnable);
}

void print_open_extents(const Graph& graph) {
  constexpr std::size_t kMost = 6;
  // Those of inputs alone: what else is open follows from them, under names that nobody can know.
  const std::vector<engine::OpenExtent> open = engine::open_extents(graph);
  if (open.empty()) return;
  std::string names, shape;
  for (std::size_t i = 0; i < std::min(kMost, open.size()); ++i) {
    names += (i == 0 ? "" : ", ") + open[i].symbol;
    shape += (i == 0 ? "" : ",") + open[i].symbol + "=…";
  }
  if (open.size() > kMost) names += " and " + std::to_string(open.size() - kMost) + " more";
  std::printf("Open extents: %s. --shape %s gives sizes; what runs needs all.\n", plain_line(names).c_str(),
              plain_line(shape).c_str());
}

void print_notes(const FusionResult& fusion) {
  for (const std::string& note : fusion.notes) std::printf("  %s\n", plain_line(note).c_str());
}

}  // namespace fuselab::cli
