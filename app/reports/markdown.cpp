// SPDX-License-Identifier: Apache-2.0
#include "app/reports/markdown.h"

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"
#include "core/base/plain_text.h"

namespace fuselab::reports {
namespace {

// So that one hostile name cannot push everything else out of the page.
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestSentence = 1000;

std::string code_or_dash(const std::string& text) {
  return text.empty() ? "–" : markdown_code(shortened(text, kLongestName));
}

std::string detect_of(const CaseOutcome& one) {
  return one.detect > 0 ? ", detect " + percent_text(one.detect) : "";
}

std::string row_of(const CaseOutcome& one) {
  std::string note = markdown_text(shortened(one.reason, kLongestSentence));
  const auto add = [&](const std::string& part) {
    if (!part.empty()) note += (note.empty() ? "" : "<br>") + part;
  };
  if (one.confirmation)
    add((one.state == CaseState::kUnconfirmed ? "not confirmed: " : "confirmed: ") + ratio_text(*one.confirmation));
  add(times_text(one));
  add(mark_text(one));
  add(variance_text(one));
  add(markdown_text(shortened(plain_line(one.configuration), kLongestSentence)));
  add(markdown_text(shortened(baseline_text(one), kLongestSentence)));
  if (!one.reproduce.empty()) add(markdown_code(shortened(one.reproduce, kLongestSentence)));
  const std::string subject = one.subject.empty() ? "" : "<br>" + markdown_text(shortened(one.subject, kLongestName));
  const std::string detectable = one.comparison ? detectable_text(*one.comparison) : "–";
  const std::string samples = sample_text(one);
  return "| " + std::string(name_of(one.state)) + " | " + code_or_dash(one.name) + subject + " | " + code_or_dash(one.device) +
         " | " + (one.comparison ? ratio_text(*one.comparison) : "–") + " | " + percent_text(one.margin) + detect_of(one) + " | " +
         detectable + " | " + (samples.empty() ? "–" : samples) + " | " + note + " |\n";
}

constexpr std::string_view kColumns =
    "| verdict | case | device | time over the baseline's | margin | would be seen | samples | more |\n"
    "|---|---|---|---|---|---|---|---|\n";

std::string more_line(std::size_t left) {
  return left == 0 ? "" : "\n… and " + std::to_string(left) + " more; the log and the other reports have them all.\n";
}

// Returns as many rows as fit into `room` together with the line that counts the others.
std::string table_of(const CheckReport& report, const std::vector<std::size_t>& cases, std::size_t room) {
  if (cases.empty()) return "";
  std::string table(kColumns);
  const std::size_t spare = more_line(cases.size()).size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string row = row_of(report.cases[cases[i]]);
    if (table.size() + row.size() + spare > room) return table + more_line(cases.size() - i);
    table += row;
  }
  return table;
}

std::string environment_of(const CheckReport& report, std::size_t room) {
  std::string text = "\n<details><summary>Environment</summary>\n\n| what | value |\n|---|---|\n";
  const std::string end = "\n</details>\n";
  for (const auto& [name, value] : report.environment) {
    const std::string row =
        "| " + markdown_text(shortened(name, kLongestName)) + " | " + markdown_text(shortened(value, kLongestName)) + " |\n";
    if (text.size() + row.size() + end.size() > room) break;
    text += row;
  }
  return report.environment.empty() ? "" : text + end;
}

std::string heading_of(const CheckReport& report) {
  std::string text = std::string(kMarkdownStart) + "## Fuselab check\n\n**" + totals_of(report) + "**\n\n" + spent_text(report) +
                     ". " + markdown_text(shortened(false_alarms_text(report), kLongestSentence)) + " " +
                     markdown_text(shortened(origin_text(report), kLongestSentence)) + ".\n\n";
  if (!report.reproduce.empty()) text += "Again: " + markdown_code(shortened(report.reproduce, kLongestSentence)) + "\n\n";
  return text;
}

}  // namespace

std::string markdown_of(const CheckReport& report, std::size_t at_most) {
  std::vector<std::size_t> wanted, others;
  for (const std::size_t index : by_severity(report))
    (attention_for(report.cases[index].state) == Attention::kNone ? others : wanted).push_back(index);
  const std::string environment = environment_of(report, at_most / 8);
  const std::string fold = "\n<details><summary>" + std::to_string(others.size()) + " that did not change</summary>\n\n";
  const std::string unfold = "\n</details>\n";
  const std::size_t least = others.empty() ? 0 : fold.size() + kColumns.size() + more_line(others.size()).size() + unfold.size();
  const auto left_by = [&](std::size_t used) { return at_most > used ? at_most - used : 0; };
  std::string text = heading_of(report);
  text += table_of(report, wanted, left_by(text.size() + environment.size() + least));
  if (!others.empty())
    text += fold + table_of(report, others, left_by(text.size() + environment.size() + fold.size() + unfold.size())) + unfold;
  return text + environment;
}

}  // namespace fuselab::reports
