// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/check_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "app/reports/case_words.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/shown_commit.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

constexpr const char* kIndent = "              ";

bool is_good(CaseState state) {
  return state == CaseState::kSame || state == CaseState::kEquivalent || state == CaseState::kImproved ||
         state == CaseState::kNew || state == CaseState::kInconclusive;
}

std::string figures_of(const CaseOutcome& outcome) {
  if (!outcome.comparison) return "";
  const ComparisonResult& result = *outcome.comparison;
  std::string text = formatted("%.3fx [%.3f, %.3f]", result.ratio, result.interval.low, result.interval.high);
  text += ", " + format_duration({outcome.baseline_ns}) + " -> " + format_duration({outcome.candidate_ns});
  if (std::isfinite(result.minimum_detectable)) text += formatted(", would see +%.2g %%", 100 * result.minimum_detectable);
  const char* const groups = outcome.backend == kCommandBackend ? "blocks" : "processes";
  text += result.pairs > 0 ? formatted(", %d pairs in %d %s", result.pairs, result.processes, groups)
                           : formatted(", %d %s", result.processes, groups);
  if (outcome.confirmation)
    text += formatted("; again %.3fx in %d, q %.2g", outcome.confirmation->ratio, outcome.confirmation->processes, outcome.q_value);
  if (outcome.disturbed > 0) text += formatted("; %d discarded", outcome.disturbed);
  return text;
}

std::string variance_of(const CaseOutcome& outcome) {
  const std::string text = reports::variance_text(outcome);
  return text.empty() ? "" : "; " + text;
}

// Shows what a command that failed wrote.
std::string indented(const std::string& output) {
  std::string text;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    text += std::string(kIndent) + "| " + plain_line(output.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return text;
}

std::string baseline_of(const CaseOutcome& outcome) {
  if (!outcome.baseline) return "";
  std::string text = outcome.baseline->kind + ": " + outcome.baseline->origin;
  if (!outcome.baseline->commit.empty()) text += ", commit " + shown_commit(outcome.baseline->commit);
  if (!outcome.baseline->configuration.empty()) text += ", in " + outcome.baseline->configuration;
  if (outcome.baseline->recompiled) text += ", compiled anew";
  if (!outcome.baseline->note.empty()) text += "; " + outcome.baseline->note;
  return text;
}

std::string case_text(const CaseOutcome& outcome, const Terminal& terminal) {
  const std::string state = formatted("%-13s ", std::string(name_of(outcome.state)).c_str());
  const bool bad = !is_good(outcome.state) && outcome.state != CaseState::kUnconfirmed;
  std::string text = (bad ? terminal.red(state) : outcome.state == CaseState::kImproved ? terminal.green(state) : state);
  text += plain_line(outcome.name) + (outcome.device.empty() ? "" : " on " + plain_line(outcome.device));
  const std::string mark = reports::mark_text(outcome);
  text += mark.empty() ? "" : " (" + mark + ")";
  const std::string figures = figures_of(outcome);
  text += (figures.empty() ? "" : "  " + figures) + "\n";
  if (!outcome.reason.empty()) text += kIndent + plain_line(outcome.reason) + "\n";
  text += indented(outcome.output);
  if (outcome.comparison) text += kIndent + reports::margin_text(outcome) + variance_of(outcome) + "\n";
  // An unchanged case is listed without its place, configuration, baseline and command.
  if (outcome.state == CaseState::kSame) return text;
  std::string standing = outcome.where.file + ":" + std::to_string(outcome.where.line);
  for (const std::string& part : {outcome.configuration, baseline_of(outcome)}) standing += part.empty() ? "" : "; " + part;
  text += kIndent + terminal.dim(plain_line(standing)) + "\n";
  if (!outcome.reproduce.empty()) text += kIndent + terminal.dim(plain_line(outcome.reproduce)) + "\n";
  return text;
}

// Lists the baselines that carry a note, for good runs as well.
std::string standing_of(const CheckReport& report) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> lines;
  for (const CaseOutcome& outcome : report.cases) {
    if (!outcome.baseline || outcome.baseline->note.empty()) continue;
    const std::string line = outcome.baseline->kind + ": " + outcome.baseline->origin + "; " + outcome.baseline->note;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, lines.size()); ++i) text += "Baseline, " + plain_line(lines[i]) + ".\n";
  if (lines.size() > kNamed) text += "Baseline, … and " + std::to_string(lines.size() - kNamed) + " more, each with its case.\n";
  return text;
}

}  // namespace

std::string check_text(const CheckReport& report, const Terminal& terminal) {
  std::string text;
  std::map<CaseState, int> counts;
  for (const std::size_t index : by_severity(report)) {
    const CaseOutcome& outcome = report.cases[index];
    ++counts[outcome.state];
    text += case_text(outcome, terminal);
  }
  std::string totals;
  for (const auto& [state, count] : counts)
    totals += (totals.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(name_of(state));
  const std::string measured =
      report.kernel_seconds > 0 ? format_duration({report.kernel_seconds * 1e9}) + " of kernel time" : "nothing was compared";
  text += counted(static_cast<std::int64_t>(report.cases.size()), "case") + ": " + totals + "; " + measured + ", " +
          format_duration({report.wall_seconds * 1e9}) + " in all.\n";
  text += standing_of(report);
  // A run without comparisons says nothing of false alarms unless something is known of them.
  if (report.false_alarms || report.selftest) text += plain_line(reports::false_alarms_text(report)) + "\n";
  for (const auto& [name, value] : report.environment) {
    if (name == kUnusedKernels) text += "Of the baseline, no case asks for: " + plain_line(value) + "\n";
  }
  return text;
}

}  // namespace fuselab::cli
