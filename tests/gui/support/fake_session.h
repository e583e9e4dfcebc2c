// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "app/gui/engine_link.h"
#include "app/session/session.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {

// What a test tells the fake job and learns from it; outlives the job, which the window owns.
struct JobScript {
  std::mutex mutex;
  std::vector<session::Event> events;  // the next drain() takes them
  std::atomic<session::JobState> state{session::JobState::kRunning};
  std::atomic<int> pauses{0}, resumes{0}, cancels{0};
  std::atomic<bool> at_the_gate{true};  // false: a block that was asked to pause still runs
  std::chrono::steady_clock::time_point cancelled_at;
  Status result;
  session::JobProgress last_progress;  // as pushed

  void push(session::Event event);
  void end(session::JobState with);
};

class FakeJob : public session::Job {
 public:
  explicit FakeJob(std::shared_ptr<JobScript> script) : script_(std::move(script)) {}
  void pause() override;
  void resume() override;
  void cancel() override;
  std::vector<session::Event> drain() override;
  session::JobState state() const override { return script_->state; }
  bool stands_still() const override { return script_->state == session::JobState::kPaused && script_->at_the_gate; }
  bool wait_for(std::chrono::milliseconds time) override;
  Status result() const override { return script_->result; }
  std::vector<session::CompareTable> tables() const override { return {}; }
  session::JobProgress last_progress() const override;

 private:
  std::shared_ptr<JobScript> script_;
};

// Shared between a test and the fakes it hands to a window.
struct SessionScript {
  std::vector<BackendReport> backends = canned_backends();
  std::vector<session::CompareTable> tables = {canned_table()};  // of warm figures
  std::vector<session::CompareTable> cold_tables;
  Catalog catalog = canned_catalog();
  session::GraphView graph = canned_graph(4);
  std::atomic<std::int64_t> trials{2000};
  std::atomic<std::int64_t> scripted{0};  // of them
  std::atomic<std::int64_t> pages_served{0};
  std::mutex mutex;
  TrialFilter last_filter;  // of a page of trials
  std::atomic<int> starts{0};
  session::JobSpec last_spec;
  session::Config config;  // where a test put a real database, if it did
  std::shared_ptr<JobScript> job = std::make_shared<JobScript>();
  std::string open_error, start_error;
};

// A session of canned views and of any number of rows that are computed when asked for.
class FakeSession : public session::Session, private ResultQueries {
 public:
  explicit FakeSession(std::shared_ptr<SessionScript> script) : script_(std::move(script)) {}

  const session::Config& config() const override { return script_->config; }
  Result<std::vector<BackendReport>> devices(bool refresh) override;
  Result<std::unique_ptr<session::Job>> start(session::JobSpec spec) override;
  Result<std::vector<session::CompareTable>> compare(const session::CompareSpec& spec) override;
  Result<FusionResult> fuse(const session::FuseSpec& spec) override;
  Result<session::GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) override;
  ResultQueries& queries() override { return *this; }

 private:
  Result<std::int64_t> count_trials(const TrialFilter& filter) override;
  Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit) override;
  Result<std::optional<TrialRecord>> trial(const std::string& id) override;
  Result<std::vector<TrialRecord>> find_valid(const std::string& plan_key, const std::string& metric_key,
                                              const std::string& environment_key) override;
  Result<std::vector<TrialRecord>> evidence(const std::string& piece_key, const std::string& device_id,
                                            const std::string& metric_key, const std::string& environment_key,
                                            const std::vector<std::string>& stale_plans) override;
  Result<std::optional<TuningRecord>> tuning(const std::string& graph_key, const std::string& device_id,
                                             const std::string& metric_key, const std::string& environment_key,
                                             const std::string& generation_key) override;
  Result<std::optional<CompiledKernel>> kernel(const std::string& kernel_key) override;
  Result<std::optional<GainRecord>> gain(const PlanPairKey& key) override;
  Result<Catalog> catalog() override;

  std::shared_ptr<SessionScript> script_;
};

SessionFactory fake_factory(std::shared_ptr<SessionScript> script);

// The events of a job that is half done: progress, trials of every outcome, a table.
void push_busy_job(JobScript& job, int trials);

}  // namespace fuselab::gui::test
