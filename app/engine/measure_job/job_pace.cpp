// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_pace.h"

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

void JobPace::report(const std::string& phase, const std::string& activity, std::optional<double> of_phase,
                     const std::string& detail) {
  JobProgress progress = counts();
  progress.phase = phase;
  progress.activity = activity;
  progress.detail = detail;
  if (outlook_) {
    progress.seconds_left = outlook_->left(phase, of_phase, seconds_spent());
    progress.done = outlook_->done();
  }
  push(std::move(progress));
}

void JobPace::report_end() {
  JobProgress progress = counts();
  progress.phase = "done";
  progress.done = 1;
  progress.seconds_left = 0;
  push(std::move(progress));
}

void JobPace::push(JobProgress progress) const {
  progress.state = JobState::kRunning;
  parts_.context.events.push(std::move(progress));
}

}  // namespace fuselab::engine
