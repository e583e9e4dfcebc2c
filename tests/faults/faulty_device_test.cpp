// SPDX-License-Identifier: Apache-2.0
// A device on which kernels crash, hang, compute wrong results, want too much memory or do not compile: a whole tuning job goes on
// to its end, and the database says of every configuration what became of it and why.
#include <map>

#include "tests/faults/support/engine_fixture.h"
#include "tests/support/rotation.h"

namespace fuselab {
namespace {

class FaultyDevice : public EngineTest {
 protected:
  std::map<std::string, std::vector<TrialRow>> tune() {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kTune;
    spec.subjects = {"graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
    spec.devices.only = {"null:1"};
    spec.strategy = "random";
    spec.budget_trials = test::run_everything() ? 60 : 24;
    spec.budget_seconds = 120;
    spec.protocol.launch_timeout = {2e8};
    const auto job = engine_->start(spec);
    EXPECT_TRUE(job.ok()) << job.error().message;
    std::map<std::string, std::vector<TrialRow>> by_outcome;
    if (!job.ok()) return by_outcome;
    EXPECT_TRUE(job.value()->wait_for(std::chrono::seconds(150)));
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    TrialFilter filter;
    filter.include_synthetic = true;
    const auto rows = engine_->queries().page(filter, TrialOrder::kOldestFirst, 0, 100'000);
    EXPECT_TRUE(rows.ok());
    if (!rows.ok()) return by_outcome;
    for (const TrialRow& row : rows.value()) by_outcome[row.outcome].push_back(row);
    return by_outcome;
  }
};

TEST_F(FaultyDevice, EveryFaultIsOneStoredOutcomeAndTheRestIsMeasured) {
  const auto by_outcome = tune();
  for (const Outcome outcome : {Outcome::kCrashed, Outcome::kTimeout, Outcome::kWrongResult, Outcome::kOutOfMemory,
                                Outcome::kCompileError, Outcome::kLaunchError}) {
    const auto found = by_outcome.find(std::string(name_of(outcome)));
    ASSERT_NE(found, by_outcome.end()) << "no trial ended as " << name_of(outcome);
    for (const TrialRow& row : found->second) {
      EXPECT_FALSE(row.reason.empty()) << row.config;
      EXPECT_EQ(row.median_ns, 0) << row.config;
    }
  }
  const auto timed = by_outcome.find(std::string(name_of(Outcome::kTimed)));
  ASSERT_NE(timed, by_outcome.end());
  for (const TrialRow& row : timed->second) EXPECT_GT(row.median_ns, 0);
}

}  // namespace
}  // namespace fuselab
