// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_pace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuselab::engine {

JobPace::JobPace(const JobParts& parts)
    : parts_(parts),
      waited_before_(parts.context.workers.waited_seconds()),
      budget_(parts.context.spec.verb == JobSpec::Verb::kBench ? std::numeric_limits<double>::infinity()
                                                               : parts.context.spec.budget_seconds,
              [this] { return seconds_spent(); }) {}

double JobPace::seconds_spent() const {
  const double since_start = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return since_start - parts_.context.pause_point.paused_seconds() - (parts_.context.workers.waited_seconds() - waited_before_);
}

JobProgress JobPace::counts() const {
  JobProgress progress;
  for (const auto& tuner : parts_.tuners) {
    progress.trials += tuner->measurer().measured();
    progress.reused += tuner->measurer().reused();
    progress.failed += tuner->measurer().failed();
    progress.calibrating_seconds += tuner->calibration().seconds();
    progress.deciding_seconds += tuner->measurer().deciding_seconds();
  }
  return progress;
}

// A phase knows how long it goes on; what comes after it is bounded by the budget where there is one. Gains without a budget, and
// cold figures, are expected to take as long as the first figures did.
std::optional<double> JobPace::seconds_left_of_job(const std::string& phase, std::optional<double> of_phase) {
  const bool has_budget = std::isfinite(budget_.left());
  const bool is_first = phase == "measuring" || phase == "measuring whole models";
  const bool is_cold = phase == "measuring cold";
  if (phase == "measuring") first_figures_seconds_ = seconds_spent() + of_phase.value_or(0);
  if (is_first && !has_budget && !of_phase) return std::nullopt;
  double left = of_phase.value_or(0);
  const double budget_left = std::max(0.0, has_budget ? budget_.left() : 0.0);
  if (has_budget && is_first) left = std::max(left, budget_left);
  if (phase == "tuning") left += std::min(kept_seconds_, budget_left);
  if (has_budget && !is_first && !is_cold) left = std::max(left, std::min(kept_seconds_, budget_left));
  if (!has_budget && is_first && !parts_.is_given() && parts_.context.spec.decide_gains) left += first_figures_seconds_;
  if (!is_cold && !parts_.is_given() && parts_.context.spec.cold) left += first_figures_seconds_;
  return left > 0 || of_phase ? std::optional(left) : std::nullopt;
}

void JobPace::report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
                     const std::string& detail) {
  const double spent = seconds_spent();
  if (phase != "done") {
    seconds_left = seconds_left_of_job(phase, seconds_left);
    done = seconds_left ? spent / std::max(spent + *seconds_left, 1e-9) : told_done_;
  }
  told_done_ = std::max(told_done_, std::min(done, 1.0));  // a bar that runs back says nothing
  JobProgress progress = counts();
  progress.state = JobState::kRunning;
  progress.phase = phase;
  progress.activity = activity;
  progress.detail = detail;
  progress.done = told_done_;
  progress.seconds_left = seconds_left;
  parts_.context.events.push(std::move(progress));
}

}  // namespace fuselab::engine
