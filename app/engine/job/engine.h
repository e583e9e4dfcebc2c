// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "app/views/snapshots.h"
#include "core/base/result.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// A running job. All calls are thread-safe and return at once.
class Job {
 public:
  virtual ~Job() = default;
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void cancel() = 0;
  // Returns the events since the last call, oldest first. The queue is bounded and merges progress and table events, never trials.
  virtual std::vector<Event> drain() = 0;
  virtual JobState state() const = 0;
  // Returns true once the job is paused and nothing is measured any more, which is after the block that ran when it was asked to
  // pause.
  virtual bool stands_still() const = 0;
  // Blocks until the job has ended or the time is over; returns whether the job has ended.
  virtual bool wait_for(std::chrono::milliseconds time) = 0;
  virtual Status result() const = 0;  // after it has ended
  virtual std::vector<CompareTable> tables() const = 0;
  virtual JobProgress last_progress() const = 0;  // with the final counts after it has ended
};

// The engine's use cases without any face. Thread-safe; owns the database, the workers and the jobs.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open(Config config);
  virtual ~Engine() = default;

  virtual const Config& config() const = 0;
  // Probes every registered backend in short-lived workers; cached until `refresh`.
  virtual Result<std::vector<BackendReport>> devices(bool refresh) = 0;
  // Returns the same, but while another process measures into the database only what is stored there: probing would wait for it.
  virtual Result<std::vector<BackendReport>> devices_at_once() { return devices(false); }
  virtual Result<std::unique_ptr<Job>> start(JobSpec spec) = 0;  // kBusy when the database's writer lease is held
  // Returns tables from what is stored; nothing is measured. Each says which question it answers, and what else is stored of its
  // model.
  virtual Result<std::vector<CompareTable>> compare(const CompareSpec& spec) = 0;
  // Returns limits_of() these devices, with the means to offer pieces to their backends where the engine has workers. Borrows the
  // engine; a result is for one thread at a time.
  virtual Result<std::vector<BackendLimits>> limits(const std::vector<DeviceInfo>& devices, const std::string& level) = 0;
  // Imports the subject and fuses it; nothing is measured.
  virtual Result<FusionResult> fuse(const FuseSpec& spec) = 0;
  virtual Result<GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) = 0;
  virtual ResultQueries& queries() = 0;
};

}  // namespace fuselab::engine
