// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "app/engine/job/engine.h"
#include "app/gui/link/engine_link.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {

// What a test tells the fake job and learns from it; outlives the job, which the window owns.
struct JobScript {
  std::mutex mutex;
  std::vector<engine::Event> events;  // the next drain() takes them
  std::atomic<engine::JobState> state{engine::JobState::kRunning};
  std::atomic<int> pauses{0}, resumes{0}, cancels{0};
  std::atomic<bool> at_the_gate{true};  // false: a block that was asked to pause still runs
  std::chrono::steady_clock::time_point cancelled_at;
  Status result;
  engine::JobProgress last_progress;  // as pushed

  void push(engine::Event event);
  void end(engine::JobState with);
};

class FakeJob : public engine::Job {
 public:
  explicit FakeJob(std::shared_ptr<JobScript> script) : script_(std::move(script)) {}
  void pause() override;
  void resume() override;
  void cancel() override;
  std::vector<engine::Event> drain() override;
  engine::JobState state() const override { return script_->state; }
  bool stands_still() const override { return script_->state == engine::JobState::kPaused && script_->at_the_gate; }
  bool wait_for(std::chrono::milliseconds time) override;
  Status result() const override { return script_->result; }
  std::vector<engine::CompareTable> tables() const override { return {}; }
  engine::JobProgress last_progress() const override;

 private:
  std::shared_ptr<JobScript> script_;
};

// Shared between a test and the fakes it hands to a window.
struct EngineScript {
  std::vector<BackendReport> backends = canned_backends();
  std::vector<engine::CompareTable> tables = {canned_table()};  // of warm figures
  std::vector<engine::CompareTable> cold_tables;
  Catalog catalog = canned_catalog();
  engine::GraphView graph = canned_graph(4);
  std::optional<FusionResult> fused;  // of every subject; nothing: of none
  std::atomic<std::int64_t> trials{2000};
  std::atomic<std::int64_t> scripted{0};  // of them
  std::atomic<std::int64_t> pages_served{0};
  std::mutex mutex;
  TrialFilter last_filter;  // of a page of trials
  TrialOrder last_order = TrialOrder::kNewestFirst;
  engine::CompareSpec last_compare;
  std::string stranger;  // who signed the binary of every kernel; empty: the user
  std::atomic<int> starts{0};
  std::atomic<bool> compares_slowly{false};  // compare() does not answer while it is set, unless it is stopped
  std::atomic<int> compares_ended{0};        // by a stop request
  engine::JobSpec last_spec;
  engine::Config config;  // where a test put a real database, if it did
  std::shared_ptr<JobScript> job = std::make_shared<JobScript>();
  std::string open_error, start_error;
};

// A session of canned views and of any number of rows that are computed when asked for.
class FakeEngine : public engine::Engine, private ResultQueries {
 public:
  explicit FakeEngine(std::shared_ptr<EngineScript> script) : script_(std::move(script)) {}

  const engine::Config& config() const override { return script_->config; }
  Result<std::vector<BackendReport>> devices(bool refresh) override;
  Result<std::unique_ptr<engine::Job>> start(engine::JobSpec spec) override;
  Result<std::vector<engine::CompareTable>> compare(const engine::CompareSpec& spec) override;
  Result<std::vector<BackendLimits>> limits(const std::vector<DeviceInfo>& devices, const std::string& level) override;
  Result<FusionResult> fuse(const engine::FuseSpec& spec) override;
  Result<engine::GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) override;
  ResultQueries& queries() override { return *this; }

 private:
  Result<std::int64_t> count_trials(const TrialFilter& filter) override;
  Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit) override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> count_by_outcome(const TrialFilter& filter) override;
  Result<std::optional<TrialRecord>> trial(const std::string& id) override;
  Result<std::vector<TrialRecord>> find_valid(const std::string& plan_key, const std::string& metric_key,
                                              const std::string& environment_key) override;
  Result<std::vector<TrialRecord>> evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans,
                                            const std::string& run_id) override;
  Result<std::optional<TuningRecord>> tuning(const EvidenceKey& key, const std::string& generation_key) override;
  Result<std::optional<CompiledKernel>> kernel(const std::string& kernel_key, std::string* unvouched) override;
  Result<std::optional<StoredSource>> source(const std::string& kernel_key) override;
  Result<std::optional<GainRecord>> gain(const PlanPairKey& key) override;
  Result<std::vector<ProfileRecord>> profiles(const std::string&, const std::string&, const std::string&) override {
    return std::vector<ProfileRecord>();
  }
  Result<Catalog> catalog() override;

  std::shared_ptr<EngineScript> script_;
};

EngineFactory fake_factory(std::shared_ptr<EngineScript> script);

// The events of a job that is half done: progress, trials of every outcome, a table.
void push_busy_job(JobScript& job, int trials);

}  // namespace fuselab::gui::test
