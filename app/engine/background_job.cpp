// SPDX-License-Identifier: Apache-2.0
#include "app/engine/background_job.h"

#include "app/engine/job/job_protocols.h"
#include "app/engine/job/wait_note.h"
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/measure_job/measure_job.h"
#include "core/base/version.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/uuid.h"

namespace fuselab::engine {
namespace {

const char* verb_text(JobSpec::Verb verb) {
  switch (verb) {
    case JobSpec::Verb::kRun: return "run";
    case JobSpec::Verb::kBench: return "bench";
    case JobSpec::Verb::kTune: return "tune";
  }
  return "run";
}

bool has_ended(JobState state) {
  return state == JobState::kFinished || state == JobState::kCancelled || state == JobState::kFailed;
}

}  // namespace

BackgroundJob::BackgroundJob(const Config& config, JobSpec spec, WorkerPool& workers, std::unique_ptr<db::Database> database,
                             std::vector<BackendReport> backends)
    : config_(config), spec_(std::move(spec)), workers_(workers), database_(std::move(database)), backends_(std::move(backends)) {
  run_.id = platform::make_uuid();
  run_.verb = verb_text(spec_.verb);
  run_.command = spec_.command;
  run_.tool_version = tool_version();
  run_.host = platform::machine_facts().host;
  run_.started_unix_ms = platform::unix_milliseconds();
  events_.push(DevicesFound{backends_});
  thread_ = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
}

BackgroundJob::~BackgroundJob() {
  cancel();
}

void BackgroundJob::pause() {
  const std::lock_guard lock(mutex_);
  if (state_ != JobState::kRunning) return;
  pause_point_.close();
  state_ = JobState::kPaused;
}

void BackgroundJob::resume() {
  const std::lock_guard lock(mutex_);
  if (state_ != JobState::kPaused) return;
  pause_point_.open();
  state_ = JobState::kRunning;
}

void BackgroundJob::cancel() {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended(state_)) return;
    state_ = JobState::kCancelling;
  }
  thread_.request_stop();
}

JobState BackgroundJob::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool BackgroundJob::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, time, [this] { return has_ended(state_); });
}

Status BackgroundJob::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

std::vector<CompareTable> BackgroundJob::tables() const {
  const std::lock_guard lock(mutex_);
  return tables_;
}

// This job holds the only writer lease, so a run that is still "running" was killed.
Status BackgroundJob::close_abandoned_runs() {
  FL_TRY(const Catalog catalog, database_->queries().catalog());
  StoreBatch batch;
  for (RunRecord run : catalog.runs) {
    if (run.state != "running") continue;
    run.state = "interrupted";
    batch.runs.push_back(std::move(run));
  }
  return batch.runs.empty() ? Status() : database_->store().commit(batch);
}

Status BackgroundJob::record_run(const std::string& state) {
  run_.state = state;
  if (state != "running") run_.finished_unix_ms = platform::unix_milliseconds();
  StoreBatch batch;
  batch.runs.push_back(run_);
  if (state == "running") {
    for (const Protocol& protocol : {spec_.protocol, search_protocol(spec_.protocol), cold_protocol(spec_.protocol)})
      batch.metrics.push_back(metric_of(protocol));
    batch.metrics.push_back(metric_of_given_config(spec_.protocol));
  }
  return database_->store().commit(batch);
}

void BackgroundJob::run(std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == JobState::kQueued) state_ = JobState::kRunning;
  }
  if (Status closed = close_abandoned_runs(); !closed.ok()) {
    finish(std::move(closed), {});
    return;
  }
  EvidenceReader evidence(workers_, database_->queries(), spec_.level, stop, spec_.remeasure ? run_.id : "", spec_.accepted);
  JobContext context{config_,
                     spec_,
                     workers_,
                     database_->store(),
                     database_->queries(),
                     evidence,
                     events_,
                     pause_point_,
                     stop,
                     run_.id,
                     metric_of(spec_.protocol).key().hex()};
  MeasureJob job(context, backends_);
  workers_.set_on_wait([this](const std::string& text) { events_.push(wait_note(text)); });
  Status begun = job.prepare();
  if (begun.ok()) begun = record_run("running");
  if (!begun.ok()) {
    workers_.set_on_wait({});
    finish(std::move(begun), job.counts());
    return;
  }
  Status status = job.run();
  workers_.set_on_wait({});
  {
    const std::lock_guard lock(mutex_);
    tables_ = job.tables();
  }
  const bool cancelled = !status.ok() && status.error().code == ErrorCode::kCancelled;
  const Status recorded = record_run(status.ok() ? "finished" : cancelled ? "interrupted" : "failed");
  finish(status.ok() ? recorded : status, job.counts());
}

JobProgress BackgroundJob::last_progress() const {
  const std::lock_guard lock(mutex_);
  return last_progress_;
}

void BackgroundJob::finish(Status status, JobProgress counts) {
  database_.reset();  // gives the writer lease back before the end is reported
  JobProgress last = std::move(counts);
  {
    const std::lock_guard lock(mutex_);
    state_ = status.ok()                                    ? JobState::kFinished
             : status.error().code == ErrorCode::kCancelled ? JobState::kCancelled
                                                            : JobState::kFailed;
    result_ = std::move(status);
    last.state = state_;
    last.activity = result_.ok() ? "" : result_.error().message;
    if (result_.ok()) last.done = 1;
    last_progress_ = last;
  }
  events_.push(last);
  ended_.notify_all();
}

}  // namespace fuselab::engine
