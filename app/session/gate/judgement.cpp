// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/judgement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/compare/false_discovery.h"
#include "core/measure/statistics.h"

namespace fuselab::session {
namespace {

double median_ns(const Replay& replay, std::vector<double> PairedSamples::*side) {
  std::vector<double> medians;
  for (const ReplayedProcess& process : replay.processes) {
    if (process.disturbed.empty()) medians.push_back(summarize(process.samples.*side).median);
  }
  return summarize(medians).median;
}

void take_figures(CheckedCase& each) {
  CaseOutcome& outcome = each.outcome;
  const Replay& replay = *each.first;
  outcome.comparison = replay.result;
  if (each.confirmation) outcome.confirmation = each.confirmation->result;
  outcome.baseline_ns = median_ns(replay, &PairedSamples::baseline);
  outcome.candidate_ns = median_ns(replay, &PairedSamples::candidate);
  outcome.disturbed = replay.disturbed() + (each.confirmation ? each.confirmation->disturbed() : 0);
  outcome.log_ratios.clear();
  for (const ReplayedProcess& process : replay.processes) {
    if (!process.disturbed.empty()) continue;
    std::vector<double>& ratios = outcome.log_ratios.emplace_back();
    const PairedSamples& samples = process.samples;
    for (std::size_t i = 0; i < samples.baseline.size(); ++i)
      ratios.push_back(std::log(samples.candidate[i] / samples.baseline[i]));
  }
}

bool same_direction(double ratio, Verdict called) {
  return called == Verdict::kRegressed ? ratio > 1 : ratio < 1;
}

std::string unconfirmed_text(const CheckedCase& each, bool open) {
  std::string const called = "called " + std::string(name_of(each.first->result.verdict));
  if (!each.unconfirmed_because.empty()) return called + ", and could not be confirmed: " + each.unconfirmed_because;
  if (!each.confirmation) return called + ", and was not confirmed";
  char text[160];
  std::snprintf(text, sizeof text, "%s a confirmation in %d processes of its own found %+.2f %%%s", open ? ";" : ", but",
                each.confirmation->result.processes, 100 * (each.confirmation->result.ratio - 1),
                open ? " and could not be sure of it: give it more budget" : "");
  return called + text;
}

void conclude(CheckedCase& each, bool stands) {
  CaseOutcome& outcome = each.outcome;
  switch (each.first->result.verdict) {
    case Verdict::kSame: outcome.state = CaseState::kSame; return;
    case Verdict::kEquivalent: outcome.state = CaseState::kEquivalent; return;
    case Verdict::kInconclusive:
      outcome.state = CaseState::kInconclusive;
      outcome.reason = "the budget ended before anything could be said; give it more, or a wider margin";
      return;
    case Verdict::kRegressed:
    case Verdict::kImproved: break;
  }
  if (!stands) {
    // What was neither confirmed nor contradicted is not let pass.
    bool const open = each.confirmation && each.confirmation->result.verdict != Verdict::kEquivalent &&
                      same_direction(each.confirmation->result.ratio, each.first->result.verdict);
    outcome.state = !each.unconfirmed_because.empty() ? each.instead : open ? CaseState::kInconclusive : CaseState::kUnconfirmed;
    outcome.reason = unconfirmed_text(each, open);
    return;
  }
  outcome.state = each.first->result.verdict == Verdict::kRegressed ? CaseState::kRegressed : CaseState::kImproved;
}

}  // namespace

bool CheckedCase::is_suspect() const {
  return first && (first->result.verdict == Verdict::kRegressed || first->result.verdict == Verdict::kImproved);
}

ComparisonRule confirmation_rule(const ComparisonRule& rule, std::size_t comparisons) {
  ComparisonRule confirming = rule;
  confirming.alpha = std::min(rule.alpha, kFalseDiscoveryRate / static_cast<double>(std::max<std::size_t>(1, comparisons)));
  // A narrower chance of being wrong takes more samples: as many more as the logarithm says.
  double const effort = std::log(confirming.alpha) / std::log(rule.alpha);
  confirming.budget.count *= effort;
  confirming.most_processes = static_cast<int>(std::ceil(confirming.most_processes * effort));
  return confirming;
}

double p_confirmed(Verdict first, const std::optional<Replay>& confirmation) {
  if (!confirmation) return 1;
  if (first == Verdict::kRegressed) return confirmation->result.p_regressed;
  return first == Verdict::kImproved ? confirmation->result.p_improved : 1;
}

std::size_t comparisons_of(const std::vector<CheckedCase>& cases) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const CheckedCase& each) { return each.first.has_value(); }));
}

void judge(std::vector<CheckedCase>& cases) {
  std::vector<double> p_values;
  for (const CheckedCase& each : cases) {
    if (each.first) p_values.push_back(p_confirmed(each.first->result.verdict, each.confirmation));
  }
  std::vector<bool> const stands = false_discovery_control(p_values, kFalseDiscoveryRate);
  std::vector<double> const rates = false_discovery_rates(p_values);
  std::size_t place = 0;
  for (CheckedCase& each : cases) {
    if (!each.first) continue;
    take_figures(each);
    each.outcome.q_value = each.is_suspect() ? rates[place] : 1;
    conclude(each, stands[place]);
    ++place;
  }
}

CheckReport report_of(CheckRun run) {
  judge(run.cases);
  CheckReport report = std::move(run.report);
  for (CheckedCase& each : run.cases) {
    if (each.first) report.kernel_seconds += each.first->result.spent.seconds();
    if (each.confirmation) report.kernel_seconds += each.confirmation->result.spent.seconds();
    report.cases.push_back(std::move(each.outcome));
  }
  return report;
}

}  // namespace fuselab::session
