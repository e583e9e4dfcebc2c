// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/engine/job/job_context.h"
#include "db/database.h"

namespace fuselab::engine {

// A job that runs on a thread of its own. It holds the database's writer lease while it runs, records the run, and turns the end of
// the main job into a state. Destroying it cancels the job and waits for it.
class BackgroundJob : public Job {
 public:
  BackgroundJob(const Config& config, JobSpec spec, WorkerPool& workers, std::unique_ptr<db::Database> database,
                std::vector<BackendReport> backends);
  ~BackgroundJob() override;

  void pause() override;
  void resume() override;
  void cancel() override;
  std::vector<Event> drain() override { return events_.drain(); }
  JobState state() const override;
  bool stands_still() const override { return pause_point_.holds(); }
  bool wait_for(std::chrono::milliseconds time) override;
  Status result() const override;
  std::vector<CompareTable> tables() const override;
  JobProgress last_progress() const override;

 private:
  void run(std::stop_token stop);
  Status close_abandoned_runs();
  Status record_run(const std::string& state);
  void finish(Status status, JobProgress counts);

  const Config config_;
  const JobSpec spec_;
  WorkerPool& workers_;
  std::unique_ptr<db::Database> database_;
  std::vector<BackendReport> backends_;
  EventQueue events_;
  PausePoint pause_point_;
  RunRecord run_;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  JobState state_ = JobState::kQueued;
  Status result_;
  std::vector<CompareTable> tables_;
  JobProgress last_progress_;
  std::jthread thread_;  // last: joins before the rest goes
};

}  // namespace fuselab::engine
