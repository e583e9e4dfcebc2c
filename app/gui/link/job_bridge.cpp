// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/job_bridge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr int kCancelPollMilliseconds = 10;  // nothing is being timed any more, and the user waits
constexpr int kPublishMilliseconds = 250;
constexpr int kTickMilliseconds = 1000;

bool has_ended(engine::JobState state) {
  return state == engine::JobState::kFinished || state == engine::JobState::kCancelled || state == engine::JobState::kFailed;
}

}  // namespace

void put_table(TableList& tables, std::shared_ptr<const engine::CompareTable> table) {
  const auto same = std::find_if(tables.begin(), tables.end(), [&](const auto& old) {
    return old->model == table->model && old->question() == table->question();
  });
  if (same != tables.end()) {
    *same = std::move(table);
  } else {
    tables.push_back(std::move(table));
  }
}

JobBridge::JobBridge(QObject* parent) : QObject(parent) {
  publish_timer_.setInterval(kPublishMilliseconds);
  connect(&poll_timer_, &QTimer::timeout, this, &JobBridge::poll);
  connect(&publish_timer_, &QTimer::timeout, this, &JobBridge::publish);
}

JobBridge::~JobBridge() {
  // Closing the window ends the job between two trials; what is committed stays.
  if (job_ != nullptr) job_->cancel();
}

void JobBridge::attach(std::unique_ptr<engine::Job> job) {
  FL_ASSERT(job_ == nullptr);
  job_ = std::move(job);
  progress_ = engine::JobProgress();
  tables_.clear();
  since_look_.start();
  seconds_since_progress_ = 0;
  shown_done_ = 0;
  since_published_.start();
  trials_heard_ = 0;
  stands_still_ = false;
  progress_.state = job_->state();
  poll_timer_.start(kPollMilliseconds);
  publish_timer_.start();
  emit started();
  emit progressed(progress_);
}

void JobBridge::pause() {
  if (job_ != nullptr) job_->pause();
}

void JobBridge::resume() {
  if (job_ != nullptr) job_->resume();
}

void JobBridge::cancel() {
  if (job_ == nullptr) return;
  job_->cancel();
  poll_timer_.start(kCancelPollMilliseconds);
  poll();
}

void JobBridge::poll() {
  if (job_ == nullptr) return;
  const engine::JobState before = progress_.state;
  // The state is read first: once it says "ended", every event is already in the queue.
  const engine::JobState state = job_->state();
  const bool stood = std::exchange(stands_still_, state == engine::JobState::kPaused && job_->stands_still());
  const double passed = static_cast<double>(since_look_.restart()) * 1e-3;
  if (!stood) seconds_since_progress_ += passed;
  collect();
  if (state != progress_.state || stands_still_ != stood) {
    progress_.state = state;
    progress_dirty_ = true;
  }
  if (progress_.state != before || stands_still_ != stood) publish();  // a change of state is never held back
  if (has_ended(state)) finish();
}

void JobBridge::collect() {
  for (engine::Event& event : job_->drain()) {
    if (auto* progress = std::get_if<engine::JobProgress>(&event)) {
      progress_ = std::move(*progress);
      progress_dirty_ = true;
      seconds_since_progress_ = 0;
    } else if (auto* found = std::get_if<engine::DevicesFound>(&event)) {
      devices_ = std::make_shared<const std::vector<BackendReport>>(std::move(found->backends));
    } else if (auto* trial = std::get_if<engine::TrialFinished>(&event)) {
      trials_.push_back(std::move(*trial));
      lines_came_first_ = true;
    } else if (auto* changed = std::get_if<engine::TableChanged>(&event)) {
      const auto table = std::make_shared<const engine::CompareTable>(std::move(changed->table));
      put_table(tables_, table);
      put_table(fresh_tables_, table);
    } else if (auto* line = std::get_if<engine::LogLine>(&event)) {
      lines_.push_back(std::move(*line));
      lines_came_first_ = false;
    }
  }
}

void JobBridge::publish() {
  if (devices_ != nullptr) emit devices_found(std::exchange(devices_, nullptr));
  progress_dirty_ = progress_dirty_ || !fresh_tables_.empty();
  for (const auto& table : std::exchange(fresh_tables_, {})) emit table_changed(table);
  // Lines that were logged before the last trial ended come first: the wait they may tell of is over.
  if (lines_came_first_) publish_lines();
  if (!trials_.empty()) {
    trials_heard_ += static_cast<int>(trials_.size());
    progress_dirty_ = true;  // the number of them stands beside the progress
    emit trials_finished(std::make_shared<const std::vector<engine::TrialFinished>>(std::exchange(trials_, {})));
  }
  publish_lines();
  const bool tick = goes_on() && since_published_.elapsed() >= kTickMilliseconds;
  if (!std::exchange(progress_dirty_, false) && !tick) return;
  since_published_.start();
  const engine::JobProgress shown = progress_now();
  shown_done_ = shown.done;  // the next report may say less than was extrapolated
  emit progressed(shown);
}

void JobBridge::publish_lines() {
  for (const engine::LogLine& line : std::exchange(lines_, {})) emit logged(line);
}

// Returns whether the job is measuring: after Pause it still does until it stands still.
bool JobBridge::goes_on() const {
  return progress_.state == engine::JobState::kRunning || (progress_.state == engine::JobState::kPaused && !stands_still_);
}

engine::JobProgress JobBridge::progress_now() const {
  engine::JobProgress shown = progress_;
  shown.trials = trials();
  shown.done = std::max(shown.done, shown_done_);
  if (!shown.seconds_left || *shown.seconds_left <= 0) return shown;
  const double share = std::min(1.0, seconds_since_progress_ / *shown.seconds_left);
  shown.done = std::max(shown_done_, progress_.done + (1 - progress_.done) * share);
  shown.seconds_left = *shown.seconds_left * (1 - share);
  return shown;
}

void JobBridge::finish() {
  poll_timer_.stop();
  publish_timer_.stop();
  const engine::JobState state = progress_.state;
  progress_ = job_->last_progress();  // the final counts
  progress_.state = state;
  progress_dirty_ = true;
  publish();
  const std::unique_ptr<engine::Job> job = std::move(job_);
  const Status result = job->result();
  const bool failed = progress_.state == engine::JobState::kFailed && !result.ok();
  emit ended(progress_.state, failed ? window_words(result.error()) : QString());
}

}  // namespace fuselab::gui
