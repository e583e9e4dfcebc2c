// SPDX-License-Identifier: Apache-2.0
#include "app/reports/case_words.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::reports {
namespace {

std::string formatted(const char* format, double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "?" : value > 0 ? "infinity" : "-infinity";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string interval_text(const Interval& interval) {
  return "[" + formatted("%.3f", interval.low) + ", " + formatted("%.3f", interval.high) + "]";
}

// "first; second", without what is empty.
void append_part(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += "; ";
  text += part;
}

std::string confirmation_text(const CaseOutcome& outcome) {
  if (!outcome.confirmation) return "";
  const bool stands = outcome.state != CaseState::kUnconfirmed;
  return (stands ? "confirmed: " : "not confirmed in processes of its own: ") + ratio_text(*outcome.confirmation);
}

// "; slowdowns found: +1 % 15 of 50 (at least 19.9 %), +2 % 48 of 50 (at least 87.9 %)".
std::string power_text(const SelftestNote& note) {
  std::string text;
  for (const FoundSlowdown& each : note.power) {
    text += (text.empty() ? "; slowdowns found: +" : ", +") + percent_text(each.slowdown) + " " +
            std::to_string(each.found.events) + " of " + std::to_string(each.found.trials) + " (at least " +
            percent_text(each.found.lower_bound()) + ")";
  }
  return text;
}

}  // namespace

Attention attention_for(CaseState state) {
  switch (state) {
    case CaseState::kRegressed:
    case CaseState::kWrongResult:
    case CaseState::kFailed:
    case CaseState::kMisconfigured: return Attention::kError;
    case CaseState::kNoBaseline:
    case CaseState::kExpired:
    case CaseState::kUntrusted:
    case CaseState::kInsensitive:
    case CaseState::kRenamed:
    case CaseState::kUnfit:
    case CaseState::kInconclusive: return Attention::kWarning;
    case CaseState::kNew:
    case CaseState::kImproved:
    case CaseState::kUnconfirmed: return Attention::kNotice;
    case CaseState::kEquivalent:
    case CaseState::kSame: return Attention::kNone;
  }
  return Attention::kError;
}

std::string title_of(const CaseOutcome& outcome) {
  const std::string name = plain_line(outcome.name);
  return outcome.device.empty() ? name : name + " on " + plain_line(outcome.device);
}

std::string ratio_text(const ComparisonResult& comparison) {
  return formatted("%.3f", comparison.ratio) + "x " + interval_text(comparison.interval);
}

std::string percent_text(double share) {
  return formatted("%.3g", 100 * share) + " %";
}

std::string margin_text(const CaseOutcome& outcome) {
  return "margin " + percent_text(outcome.margin) + (outcome.detect > 0 ? ", detect " + percent_text(outcome.detect) : "");
}

std::string mark_text(const CaseOutcome& outcome) {
  std::string text = outcome.drill > 0 ? "drill +" + percent_text(outcome.drill) : "";
  if (outcome.null_control) text += std::string(text.empty() ? "" : ", ") + "null control";
  return text;
}

std::string variance_text(const CaseOutcome& outcome) {
  const auto shares = outcome.comparison ? variance_shares(*outcome.comparison) : std::nullopt;
  if (!shares) return "";
  const std::string within = "variance: " + formatted("%.0f", 100 * shares->within_block) + " % within blocks, ";
  if (outcome.backend == kCommandBackend)
    return within + formatted("%.0f", 100 * (shares->between_blocks + shares->between_processes)) + " % between blocks";
  return within + formatted("%.0f", 100 * shares->between_blocks) + " % between blocks, " +
         formatted("%.0f", 100 * shares->between_processes) + " % between processes";
}

std::string detectable_text(const ComparisonResult& comparison) {
  if (!std::isfinite(comparison.minimum_detectable)) return "too few processes to say what would be seen";
  return "changes from " + percent_text(comparison.minimum_detectable) + " are seen";
}

std::string sample_text(const CaseOutcome& outcome) {
  const bool command = outcome.backend == kCommandBackend;
  const std::string_view unit = command ? "block of runs" : "process", units = command ? "blocks of runs" : "processes";
  std::string text;
  if (outcome.comparison) {
    // Beside a baseline that was not run there are no pairs.
    if (outcome.comparison->pairs > 0) text = counted(outcome.comparison->pairs, "pair", "pairs") + " in ";
    text += counted(outcome.comparison->processes, unit, units);
  }
  if (outcome.disturbed == 0) return text;
  const std::string discarded =
      text.empty() ? counted(outcome.disturbed, unit, units) : std::to_string(outcome.disturbed) + " more";
  return (text.empty() ? "" : text + ", ") + discarded + " discarded as disturbed";
}

std::string times_text(const CaseOutcome& outcome) {
  const bool measured = outcome.baseline_ns > 0 && outcome.candidate_ns > 0;
  if (!measured) return "";
  return format_duration({outcome.baseline_ns}) + " -> " + format_duration({outcome.candidate_ns});
}

std::string baseline_text(const CaseOutcome& outcome) {
  if (!outcome.baseline) return "";
  const BaselineUsed& used = *outcome.baseline;
  std::string text = plain_line(used.kind) + " baseline: " + plain_line(used.origin);
  if (!used.commit.empty()) text += ", commit " + plain_line(used.commit);
  if (!used.device_uuid.empty()) text += ", device " + plain_line(used.device_uuid);
  if (!used.configuration.empty()) text += ", in " + plain_line(used.configuration);
  if (used.recompiled) text += ", recompiled here from its stored source";
  if (!used.note.empty()) text += ", " + plain_line(used.note);
  return text;
}

std::string finding_of(const CaseOutcome& outcome) {
  std::string text;
  if (outcome.comparison) {
    const ComparisonResult& comparison = *outcome.comparison;
    append_part(text, formatted("%.3f", comparison.ratio) + "x the baseline's time " + interval_text(comparison.interval) + ", " +
                          margin_text(outcome));
  }
  append_part(text, plain_line(outcome.reason));
  append_part(text, confirmation_text(outcome));
  if (outcome.comparison) append_part(text, detectable_text(*outcome.comparison));
  append_part(text, variance_text(outcome));
  append_part(text, mark_text(outcome));
  append_part(text, sample_text(outcome));
  append_part(text, times_text(outcome));
  append_part(text, plain_line(outcome.configuration));
  append_part(text, baseline_text(outcome));
  return text;
}

std::string totals_of(const CheckReport& report) {
  std::string text;
  std::size_t alike = 0;
  const auto order = by_severity(report);  // equal states stand together
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CaseState state = report.cases[order[i]].state;
    ++alike;
    const bool last = i + 1 == order.size() || report.cases[order[i + 1]].state != state;
    if (!last) continue;
    text += (text.empty() ? ": " : ", ") + std::to_string(alike) + " " + std::string(name_of(state));
    alike = 0;
  }
  return counted(static_cast<std::int64_t>(report.cases.size()), "case", "cases") + text;
}

std::string spent_text(const CheckReport& report) {
  return format_duration({1e9 * report.kernel_seconds}) + " of kernel time in " + format_duration({1e9 * report.wall_seconds});
}

std::string false_alarms_text(const CheckReport& report) {
  if (!report.false_alarms || report.false_alarms->trials <= 0) {
    if (report.selftest && !report.selftest->of.empty())
      return "This machine's false-alarm rate is not known: " + plain_line(report.selftest->of) + ".";
    return "How often comparisons raise a false alarm on this machine was not measured; `fuselab selftest` does.";
  }
  const ErrorRate& rate = *report.false_alarms;
  const std::string found = "This machine's self-test: " + counted(rate.events, "false alarm", "false alarms") + " in " +
                            counted(rate.trials, "comparison", "comparisons") + " of identical kernels, at most " +
                            percent_text(rate.upper_bound()) + " with 95 % confidence";
  if (!report.selftest) return found + ".";
  return found + power_text(*report.selftest) + (report.selftest->of.empty() ? "" : ". It was " + plain_line(report.selftest->of)) +
         ".";
}

std::string origin_text(const CheckReport& report) {
  std::string text = "Fuselab " + plain_line(report.tool_version);
  if (!report.commit.empty()) text += ", commit " + plain_line(report.commit);
  if (!report.started_at.empty()) text += ", " + plain_line(report.started_at);
  return text;
}

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

}  // namespace fuselab::reports
