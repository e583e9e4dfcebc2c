// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/judgement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/engine/measure/timing_run.h"
#include "core/stats/false_discovery.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

constexpr int kInterruptedRun = 4;  // from the one table of exit codes

double median_ns(const Replay& replay, std::vector<double> PairedSamples::*side) {
  std::vector<double> medians;
  for (const ReplayedProcess& process : replay.processes) {
    if (process.disturbed.empty()) medians.push_back(summarize(process.samples.*side).median);
  }
  return summarize(medians).median;
}

// Returns the geometric mean of the timing runs' levels, the denominator of a historical ratio.
double past_ns(const std::vector<RunSamples>& past) {
  double sum = 0;
  for (const RunSamples& run : past) sum += std::log(level_ns(run));
  return std::exp(sum / static_cast<double>(past.size()));
}

// Returns the samples over the round's own baseline or, where none ran, over `earlier_ns`.
std::vector<double> log_ratios_of(const PairedSamples& samples, double earlier_ns) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.candidate.size(); ++i)
    ratios.push_back(std::log(samples.candidate[i] / (earlier_ns > 0 ? earlier_ns : samples.baseline[i])));
  return ratios;
}

int disturbed_in(const CheckedCase& each) {
  return each.first->disturbed() + (each.confirmation ? each.confirmation->disturbed() : 0);
}

void take_figures(CheckedCase& each) {
  CaseOutcome& outcome = each.outcome;
  const Replay& replay = *each.first;
  outcome.comparison = replay.result;
  if (each.confirmation && each.confirmation->fitness().ok()) outcome.confirmation = each.confirmation->result;
  outcome.baseline_ns = each.past.empty() ? median_ns(replay, &PairedSamples::baseline) : past_ns(each.past);
  outcome.candidate_ns = each.past.empty() ? median_ns(replay, &PairedSamples::candidate) : level_ns(samples_of(replay.processes));
  outcome.disturbed = disturbed_in(each);
  outcome.log_ratios.clear();
  for (const ReplayedProcess& process : replay.processes) {
    if (!process.disturbed.empty()) continue;
    outcome.log_ratios.push_back(log_ratios_of(process.samples, each.past.empty() ? 0 : outcome.baseline_ns));
  }
}

// Returns whether the case has figures: an unfit machine gives none, only what disturbed it.
bool was_compared(const CheckedCase& each) {
  return each.first && each.first->fitness().ok();
}

void conclude_unfit(CheckedCase& each) {
  each.outcome.state = CaseState::kUnfit;
  each.outcome.reason = each.first->fitness().error().message;
  each.outcome.disturbed = disturbed_in(each);
}

bool is_across_machines(const CheckedCase& each) {
  return each.outcome.baseline && each.outcome.baseline->other_machine;
}

std::string unconfirmed_text(const CheckedCase& each, bool open) {
  const std::string called = "called " + std::string(name_of(each.first->result.verdict));
  if (!each.unconfirmed_because.empty()) return called + ", and could not be confirmed: " + each.unconfirmed_because;
  if (!each.confirmation) return called + ", and was not confirmed";
  char text[200];
  std::snprintf(text, sizeof text, "%s a confirmation in %d processes of its own found %+.2f %%%s", open ? ";" : ", but",
                each.confirmation->result.processes, 100 * (each.confirmation->result.ratio - 1),
                !open               ? ""
                : each.past.empty() ? " and could not be sure of it: give it more budget"
                                    : " and could not be sure of it: it takes more sessions");
  return called + text;
}

// Returns the least slowdown that the case would have seen; infinite where nothing is known of it.
double detectable(const CheckedCase& each) {
  const bool confirmed = each.confirmation && each.confirmation->fitness().ok();
  // A change that was called and not looked at again must not pass.
  if (each.is_suspect() && !confirmed) return std::numeric_limits<double>::infinity();
  return (confirmed ? *each.confirmation : *each.first).result.minimum_detectable;
}

// Returns whether a slowdown of `detect` could have gone unseen.
bool is_insensitive(const CheckedCase& each) {
  return each.outcome.detect > 0 && !(detectable(each) <= each.outcome.detect);
}

void leave_open(CheckedCase& each, std::string reason) {
  each.outcome.state = is_insensitive(each) ? CaseState::kInsensitive : CaseState::kInconclusive;
  each.outcome.reason = std::move(reason);
}

std::string seen_text(const CheckedCase& each) {
  const double seen = detectable(each);
  if (each.outcome.detect <= 0 || !std::isfinite(seen)) return "; give it more, or a wider margin";
  char text[160];
  std::snprintf(text, sizeof text, "; slowdowns from %.2g %% would have been seen, %s detect (%.3g %%)%s", 100 * seen,
                is_insensitive(each) ? "and that is more than" : "within", 100 * each.outcome.detect,
                is_insensitive(each) ? ": give it more budget, or a wider margin" : "");
  return text;
}

// Returns why the first comparison decided nothing.
std::string open_text(const CheckedCase& each) {
  if (each.past.empty()) return "the budget ended before a verdict" + seen_text(each);
  constexpr const char* kMore = "; `fuselab baseline extend` on another day adds a session";
  if (each.past.size() == 1) return std::string("of one session it is not known how far sessions differ on this machine") + kMore;
  char text[120];
  std::snprintf(text, sizeof text, "sessions of the unchanged kernel differ by %.2g %% (deviation)",
                100 * each.first->result.between_deviation);
  return text + std::string(", too much for so few") + kMore;
}

void conclude(CheckedCase& each, bool stands) {
  CaseOutcome& outcome = each.outcome;
  if (is_across_machines(each)) {
    // It decides nothing, so nothing would have been seen.
    outcome.state = outcome.detect > 0 ? CaseState::kInsensitive : CaseState::kInconclusive;
    outcome.reason = "times of two machines say nothing of a kernel: shown, and neither passed nor failed for";
    return;
  }
  switch (each.first->result.verdict) {
    case Verdict::kSame: outcome.state = CaseState::kSame; return;
    case Verdict::kEquivalent: outcome.state = CaseState::kEquivalent; return;
    case Verdict::kInconclusive: return leave_open(each, open_text(each));
    case Verdict::kRegressed:
    case Verdict::kImproved: break;
  }
  if (!stands) {
    const bool open = !each.confirmation || !contradicts(each.confirmation->result, each.first->result.verdict, each.rule.margin);
    const std::string reason = unconfirmed_text(each, open);
    if (open && each.unconfirmed_because.empty()) return leave_open(each, reason);
    outcome.state = each.unconfirmed_because.empty() ? CaseState::kUnconfirmed : each.instead;
    outcome.reason = reason;
    return;
  }
  outcome.state = each.first->result.verdict == Verdict::kRegressed ? CaseState::kRegressed : CaseState::kImproved;
}

}  // namespace

bool CheckedCase::is_suspect() const {
  return was_compared(*this) && !is_across_machines(*this) &&
         (first->result.verdict == Verdict::kRegressed || first->result.verdict == Verdict::kImproved);
}

ComparisonRule confirmation_rule(const ComparisonRule& rule, std::size_t comparisons) {
  ComparisonRule confirming = rule;
  confirming.alpha = std::min(rule.alpha, kFalseDiscoveryRate / static_cast<double>(std::max<std::size_t>(1, comparisons)));
  // A smaller chance of being wrong takes more samples, in proportion to its logarithm.
  const double effort = std::log(confirming.alpha) / std::log(rule.alpha);
  confirming.budget.count *= effort;
  confirming.most_processes = static_cast<int>(std::ceil(confirming.most_processes * effort));
  return confirming;
}

bool contradicts(const ComparisonResult& confirmation, Verdict first, double margin) {
  return first == Verdict::kRegressed ? confirmation.interval.high <= 1 + margin : confirmation.interval.low >= 1 / (1 + margin);
}

double p_confirmed(Verdict first, const std::optional<Replay>& confirmation) {
  if (!confirmation || !confirmation->fitness().ok()) return 1;
  // Evidence that looked strong for a while does not count once the whole says otherwise.
  const Verdict second = confirmation->result.verdict;
  if (second != first && second != Verdict::kInconclusive) return 1;
  if (first == Verdict::kRegressed) return confirmation->result.p_regressed;
  return first == Verdict::kImproved ? confirmation->result.p_improved : 1;
}

std::size_t comparisons_of(const std::vector<CheckedCase>& cases) {
  return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), was_compared));
}

void judge(std::vector<CheckedCase>& cases) {
  std::vector<double> p_values;
  for (const CheckedCase& each : cases) {
    if (was_compared(each)) p_values.push_back(each.is_suspect() ? p_confirmed(each.first->result.verdict, each.confirmation) : 1);
  }
  const std::vector<bool> stands = false_discovery_control(p_values, kFalseDiscoveryRate);
  const std::vector<double> rates = false_discovery_rates(p_values);
  std::size_t place = 0;
  for (CheckedCase& each : cases) {
    if (each.first && !was_compared(each)) conclude_unfit(each);
    if (!was_compared(each)) continue;
    take_figures(each);
    each.outcome.q_value = each.is_suspect() ? rates[place] : 1;
    conclude(each, stands[place]);
    ++place;
  }
}

int exit_code_of(const CheckRun& run) {
  CheckReport ends;
  for (const CheckedCase& each : run.cases) ends.cases.emplace_back().state = each.outcome.state;
  const int code = fuselab::exit_code_of(ends, run.fail_on);
  return code == 0 && run.interrupted ? kInterruptedRun : code;
}

CheckReport report_of(CheckRun run) {
  judge(run.cases);
  CheckReport report = std::move(run.report);
  report.exit_code = exit_code_of(run);
  for (CheckedCase& each : run.cases) {
    if (each.first) report.kernel_seconds += each.first->result.spent.seconds();
    if (each.confirmation) report.kernel_seconds += each.confirmation->result.spent.seconds();
    report.cases.push_back(std::move(each.outcome));
  }
  return report;
}

}  // namespace fuselab::engine
