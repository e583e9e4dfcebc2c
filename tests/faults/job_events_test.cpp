// SPDX-License-Identifier: Apache-2.0
// What a job tells while it runs: how far each search is, the best figure so far that each trial is held against, and what it
// counts; and what it leaves in the store.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class JobEvents : public EngineTest {
 protected:
  static engine::JobSpec search() {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kTune;
    spec.subjects = {"graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
    spec.devices.only = {"null:0"};
    spec.strategy = "random";
    spec.budget_trials = 12;
    spec.budget_seconds = 60;
    return spec;
  }

  using OnEvent = std::function<void(engine::Job& job, const engine::Event& event)>;
  // `on_turn` is called every millisecond or so.
  std::vector<engine::Event> events_of(const engine::JobSpec& spec, const OnEvent& on_event = {},
                                       const std::function<void(engine::Job& job)>& on_turn = {}) {
    std::vector<engine::Event> events;
    const auto job = engine_->start(spec);
    if (!job.ok()) {
      ADD_FAILURE() << job.error().message;
      return events;
    }
    bool ended = false;
    while (!ended) {
      ended = job.value()->wait_for(std::chrono::milliseconds(1));
      if (on_turn) on_turn(*job.value());
      for (engine::Event& event : job.value()->drain()) {
        if (on_event) on_event(*job.value(), event);
        events.push_back(std::move(event));
      }
    }
    last_ = job.value()->last_progress();
    EXPECT_NE(last_.state, engine::JobState::kFailed) << job.value()->result().error().message;
    return events;
  }

  std::vector<TrialRow> stored() {
    TrialFilter filter;
    filter.include_synthetic = true;
    auto rows = engine_->queries().page(filter, TrialOrder::kOldestFirst, 0, 100'000);
    EXPECT_TRUE(rows.ok());
    return rows.ok() ? std::move(rows).value() : std::vector<TrialRow>{};
  }

  std::size_t stored_ceilings() {
    const auto catalog = engine_->queries().catalog();
    std::size_t rows = 0;
    if (!catalog.ok()) return rows;
    for (const auto& [environment, table] : catalog.value().ceilings) rows += table.rows.size();
    return rows;
  }

  engine::JobProgress last_;
};

// A typo is no run: Diff would offer it, and "the newest run" would be one that measured nothing.
TEST_F(JobEvents, ARefusedJobIsNoRun) {
  engine::JobSpec spec = search();
  spec.subjects = {"nosuch"};
  const auto job = engine_->start(spec);
  ASSERT_TRUE(job.ok()) << job.error().message;
  ASSERT_TRUE(job.value()->wait_for(std::chrono::seconds(60)));
  EXPECT_EQ(job.value()->state(), engine::JobState::kFailed);
  EXPECT_TRUE(engine_->queries().catalog().value().runs.empty());
  events_of(search());
  ASSERT_EQ(engine_->queries().catalog().value().runs.size(), 1U);
  EXPECT_EQ(engine_->queries().catalog().value().runs.front().state, "finished");
}

TEST_F(JobEvents, OneBarIsThatOfTheWholeJob) {
  double done = 0;
  std::vector<std::string> phases;
  for (const engine::Event& event : events_of(search())) {
    const auto* const progress = std::get_if<engine::JobProgress>(&event);
    if (progress == nullptr || progress->state != engine::JobState::kRunning) continue;
    if (phases.empty() || phases.back() != progress->phase) phases.push_back(progress->phase);
    EXPECT_GE(progress->done, done) << progress->phase;
    done = progress->done;
    if (progress->phase != "done") EXPECT_LT(done, 1) << progress->phase;
    if (progress->phase == "measuring") EXPECT_GT(progress->seconds_left.value_or(0), 0) << "tuning and confirming come";
  }
  EXPECT_GT(phases.size(), 2U);
}

TEST_F(JobEvents, ProgressMovesWithinTheTurnOfOnePiece) {
  std::set<std::string> activities, details;
  for (const engine::Event& event : events_of(search())) {
    const auto* const progress = std::get_if<engine::JobProgress>(&event);
    if (progress == nullptr || progress->phase != "tuning") continue;
    activities.insert(progress->activity);
    details.insert(progress->detail);
  }
  EXPECT_EQ(activities, std::set<std::string>{"Add+Relu on null:0"}) << "one piece, however many searches it takes";
  const auto counts = [](const std::string& detail) { return detail.find(" of 12 configurations") != std::string::npos; };
  EXPECT_TRUE(std::any_of(details.begin(), details.end(), counts));
  EXPECT_GE(details.size(), 4U);
}

TEST_F(JobEvents, ATrialIsHeldAgainstItsOwnKindOnly) {
  std::map<std::pair<std::string, PlanKind>, double> best;
  int fused = 0, unfused = 0;
  for (const engine::Event& event : events_of(search())) {
    const auto* const trial = std::get_if<engine::TrialFinished>(&event);
    if (trial == nullptr) continue;
    EXPECT_EQ(trial->mode, CacheMode::kWarm);
    const auto key = std::pair(trial->row.piece_key, trial->row.kind);
    if (trial->row.outcome == "timed") {
      double& known = best.try_emplace(key, trial->row.median_ns).first->second;
      known = std::min(known, trial->row.median_ns);
      ++(trial->row.kind == PlanKind::kFused ? fused : unfused);
    }
    EXPECT_EQ(trial->best_ns.has_value(), best.count(key) == 1);
    if (!trial->best_ns) continue;
    EXPECT_EQ(*trial->best_ns, best[key]) << trial->row.config;
  }
  EXPECT_GT(fused, 5);
  EXPECT_GT(unfused, 0);
}

TEST_F(JobEvents, AColdTrialSaysThatItIsCold) {
  engine::JobSpec spec = search();
  spec.verb = engine::JobSpec::Verb::kBench;
  spec.protocol.mode = CacheMode::kCold;
  int trials = 0;
  for (const engine::Event& event : events_of(spec)) {
    const auto* const trial = std::get_if<engine::TrialFinished>(&event);
    if (trial == nullptr) continue;
    ++trials;
    EXPECT_EQ(trial->mode, CacheMode::kCold);
  }
  EXPECT_EQ(trials, 2);
}

TEST_F(JobEvents, NothingIsMeasuredColdUnlessThatIsAskedFor) {
  using Verb = engine::JobSpec::Verb;
  for (const Verb verb : {Verb::kBench, Verb::kTune, Verb::kRun}) {
    for (const bool cold : {false, true}) {
      engine::JobSpec spec = search();
      spec.verb = verb;
      spec.devices.only = {"cpu:0"};  // scripted times have no cold ones
      spec.budget_trials = 1;
      spec.budget_seconds = 2;
      EXPECT_EQ(engine::JobSpec().cold, false);
      spec.cold = cold;
      spec.remeasure = true;  // what is stored is served without a trial
      std::set<CacheMode> modes;
      for (const engine::Event& event : events_of(spec)) {
        if (const auto* trial = std::get_if<engine::TrialFinished>(&event)) modes.insert(trial->mode);
      }
      EXPECT_EQ(modes.contains(CacheMode::kCold), cold);
    }
  }
}

TEST_F(JobEvents, AKernelThatSomebodyNamedIsServedForNothing) {
  engine::JobSpec spec = search();
  spec.verb = engine::JobSpec::Verb::kBench;
  spec.subjects = {"graph(i0: f32[8,16]) { v0 = Relu(i0); return v0 }"};
  engine::JobSpec given = spec;
  given.config = LaunchConfig::parse("a=0").value();  // what an ordinary bench takes, too
  events_of(given);
  ASSERT_EQ(stored().size(), 1U);
  events_of(spec);
  const std::vector<TrialRow> both = stored();
  ASSERT_EQ(both.size(), 2U) << "the ordinary one was measured";
  EXPECT_EQ(both[0].config, both[1].config);
  EXPECT_NE(both[0].metric_key, both[1].metric_key);
  events_of(given);
  events_of(spec);
  EXPECT_EQ(stored().size(), 3U) << "a named kernel is measured each time, the ordinary one served";
}

TEST_F(JobEvents, APauseCostsNoBudget) {
  engine::JobSpec spec = search();
  spec.remeasure = true;
  events_of(spec);
  const auto searched = [this] {  // how many are confirmed depends on where a search began
    const std::vector<TrialRow> rows = stored();
    return std::count_if(rows.begin(), rows.end(), [](const TrialRow& row) { return !row.retimed; });
  };
  const auto without_a_pause = searched();
  ASSERT_GT(without_a_pause, 12);

  spec.budget_seconds = 5;
  bool paused = false;
  const auto pause_longer_than_the_budget = [&](engine::Job& job, const engine::Event& event) {
    const auto* const progress = std::get_if<engine::JobProgress>(&event);
    if (paused || progress == nullptr || progress->phase != "tuning") return;
    paused = true;
    job.pause();
    std::this_thread::sleep_for(std::chrono::milliseconds(5500));
    job.resume();
  };
  events_of(spec, pause_longer_than_the_budget);
  EXPECT_EQ(searched(), 2 * without_a_pause) << "every search goes as far as without a pause";
  EXPECT_TRUE(paused);
}

// Some of this device's kernels hang until their time-out, so that the cancel falls into a block with trials that never ran.
TEST_F(JobEvents, CountsWhatIsStoredWhenItIsCancelled) {
  engine::JobSpec spec = search();
  spec.devices.only = {"null:1"};
  spec.budget_trials = 60;
  spec.protocol.launch_timeout = {3e8};
  std::size_t before = 0;
  for (int cancel_at : {2, 14, 26}) {
    int trials = 0;
    spec.remeasure = true;
    events_of(spec, [&](engine::Job& job, const engine::Event& event) {
      if (std::holds_alternative<engine::TrialFinished>(event) && ++trials == cancel_at) job.cancel();
    });
    EXPECT_EQ(last_.state, engine::JobState::kCancelled);
    const std::vector<TrialRow> rows = stored();
    EXPECT_EQ(static_cast<std::size_t>(last_.trials), rows.size() - before) << "what it measured is what it stored";
    const auto failed = std::count_if(rows.begin() + static_cast<std::ptrdiff_t>(before), rows.end(),
                                      [](const TrialRow& row) { return row.outcome != "timed" && row.outcome != "dropped"; });
    EXPECT_EQ(last_.failed, failed);
    before = rows.size();
  }
}

// Nothing comes after the last block that would notice that it was cut short.
TEST_F(JobEvents, ACancelWithinTheLastBlockIsNoEnd) {
  engine::JobSpec spec = search();
  spec.verb = engine::JobSpec::Verb::kBench;
  spec.subjects = {"graph(i0: f32[256,1024], p0: param f32[1024]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
  spec.devices.only = {"cpu:0"};
  spec.protocol.min_sample = {4e8};  // of so many samples that both plans take half a minute, however fast they are
  spec.protocol.samples = 40;
  spec.protocol.budget = {1e11};
  std::optional<std::chrono::steady_clock::time_point> cancel_at;
  events_of(
      spec,
      [&](engine::Job&, const engine::Event& event) {
        const auto* const progress = std::get_if<engine::JobProgress>(&event);
        if (progress == nullptr || progress->phase != "measuring" || cancel_at) return;
        cancel_at = std::chrono::steady_clock::now() + std::chrono::seconds(4);
      },
      [&](engine::Job& job) {
        if (cancel_at && std::chrono::steady_clock::now() >= *cancel_at) job.cancel();
      });
  EXPECT_EQ(last_.state, engine::JobState::kCancelled);
  for (const TrialRow& row : stored()) EXPECT_EQ(row.outcome, "timed") << "a cancelled plan is no knowledge";
  const auto catalog = engine_->queries().catalog();
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog.value().runs.size(), 1U);
  EXPECT_EQ(catalog.value().runs.front().state, "interrupted");
}

TEST_F(JobEvents, KeepsTheBinariesOfBothPlansOfAPair) {
  engine::JobSpec spec = search();
  spec.verb = engine::JobSpec::Verb::kBench;
  events_of(spec);
  std::set<PlanKind> kinds;
  for (const TrialRow& row : stored()) {
    const auto trial = engine_->queries().trial(row.id);
    ASSERT_TRUE(trial.ok() && trial.value());
    kinds.insert(row.kind);
    for (const std::string& key : trial.value()->kernel_keys) {
      const auto kernel = engine_->queries().kernel(key);
      ASSERT_TRUE(kernel.ok() && kernel.value()) << key;
      EXPECT_FALSE(kernel.value()->binary.data.empty()) << row.config;
    }
  }
  EXPECT_EQ(kinds, (std::set<PlanKind>{PlanKind::kFused, PlanKind::kUnfused}));
}

TEST_F(JobEvents, WhatIsReusedHasNoCeilingMeasuredEither) {
  engine::JobSpec spec = search();
  spec.verb = engine::JobSpec::Verb::kBench;
  events_of(spec);
  const std::size_t ceilings = stored_ceilings();
  EXPECT_GT(ceilings, 0U);
  EXPECT_EQ(last_.trials, 2);
  events_of(spec);
  EXPECT_EQ(last_.trials, 0);
  EXPECT_EQ(last_.reused, 2);
  EXPECT_EQ(stored_ceilings(), ceilings);
}

TEST_F(JobEvents, APairIsTunedOnBothSidesOrOnNeither) {
  // Large enough that a configuration is faster than the default by more than a launch hides.
  engine::JobSpec both = search();
  both.subjects = {"graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
  engine::JobSpec bench = both;
  bench.verb = engine::JobSpec::Verb::kBench;
  bench.remeasure = true;
  const auto configs_now = [&] {
    std::map<PlanKind, std::string> configs;
    for (const engine::Event& event : events_of(bench)) {
      const auto* const trial = std::get_if<engine::TrialFinished>(&event);
      if (trial != nullptr) configs[trial->row.kind] = trial->row.config;
    }
    return configs;
  };
  const auto untuned = configs_now();
  ASSERT_EQ(untuned.size(), 2U);

  engine::JobSpec one_operator = search();
  one_operator.subjects = {"graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); return v0 }"};
  events_of(one_operator);
  EXPECT_GT(last_.trials, 1);
  EXPECT_EQ(configs_now(), untuned) << "the kernel that does it all was not searched";

  events_of(both);
  const auto tuned = configs_now();
  EXPECT_NE(tuned.at(PlanKind::kFused), untuned.at(PlanKind::kFused));
  EXPECT_NE(tuned.at(PlanKind::kUnfused), untuned.at(PlanKind::kUnfused));
}

}  // namespace
}  // namespace fuselab
