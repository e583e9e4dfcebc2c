// SPDX-License-Identifier: Apache-2.0
// What a job tells while it runs: how far each search is, and the best figure so far that each trial is held against.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "app/session/session.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

class JobEvents : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("fuselab-events-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    session::Config config;
    config.database = folder_ / "events.db";
    config.model_directory = folder_ / "models";
    config.cache_directory = folder_ / "cache";
    config.key_directory = folder_ / "keys";
    config.worker_program = FUSELAB_WORKER;
    auto opened = session::Session::open(config);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    session_ = std::move(opened).value();
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  static session::JobSpec search() {
    session::JobSpec spec;
    spec.verb = session::JobSpec::Verb::kTune;
    spec.subjects = {"graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
    spec.devices = {"null:0"};
    spec.strategy = "random";
    spec.budget_trials = 12;
    spec.budget_seconds = 60;
    return spec;
  }

  std::vector<session::Event> events_of(const session::JobSpec& spec) {
    std::vector<session::Event> events;
    auto const job = session_->start(spec);
    if (!job.ok()) {
      ADD_FAILURE() << job.error().message;
      return events;
    }
    bool ended = false;
    while (!ended) {
      ended = job.value()->wait_for(std::chrono::milliseconds(1));
      for (session::Event& event : job.value()->drain()) events.push_back(std::move(event));
    }
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    return events;
  }

  fs::path folder_;
  std::unique_ptr<session::Session> session_;
};

TEST_F(JobEvents, ProgressMovesWithinTheTurnOfOnePiece) {
  std::set<std::string> activities, details;
  for (const session::Event& event : events_of(search())) {
    auto const* const progress = std::get_if<session::JobProgress>(&event);
    if (progress == nullptr || progress->phase != "tuning") continue;
    activities.insert(progress->activity);
    details.insert(progress->detail);
  }
  EXPECT_EQ(activities, std::set<std::string>{"Add+Relu on null:0"}) << "one piece, however many searches it takes";
  auto const counts = [](const std::string& detail) { return detail.find(" of 12 configurations") != std::string::npos; };
  EXPECT_TRUE(std::any_of(details.begin(), details.end(), counts));
  EXPECT_GE(details.size(), 4U);
}

TEST_F(JobEvents, ATrialIsHeldAgainstItsOwnKindOnly) {
  std::map<std::pair<std::string, PlanKind>, double> best;
  int fused = 0, unfused = 0;
  for (const session::Event& event : events_of(search())) {
    auto const* const trial = std::get_if<session::TrialFinished>(&event);
    if (trial == nullptr) continue;
    EXPECT_EQ(trial->mode, CacheMode::kWarm);
    auto const key = std::pair(trial->row.piece_key, trial->row.kind);
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
  session::JobSpec spec = search();
  spec.verb = session::JobSpec::Verb::kBench;
  spec.protocol.mode = CacheMode::kCold;
  int trials = 0;
  for (const session::Event& event : events_of(spec)) {
    auto const* const trial = std::get_if<session::TrialFinished>(&event);
    if (trial == nullptr) continue;
    ++trials;
    EXPECT_EQ(trial->mode, CacheMode::kCold);
  }
  EXPECT_EQ(trials, 2);
}

}  // namespace
}  // namespace fuselab
