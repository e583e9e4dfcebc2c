// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/final_results.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

bool is_final(Outcome outcome, const char* reason) {
  PlanResult result;
  result.outcome = outcome;
  result.reason = reason;
  return engine::is_final(result);
}

TEST(FinalResults, IsACrashOfThePlansOwn) {
  EXPECT_TRUE(is_final(Outcome::kCrashed, "worker (measure, pid 7) was killed by signal 11 (SIGSEGV)"));
  EXPECT_TRUE(is_final(Outcome::kCrashed, "worker (measure, pid 7) exited with code 9"));
}

TEST(FinalResults, IsNoWorkerThatSomebodyKilled) {
  EXPECT_FALSE(is_final(Outcome::kCrashed, "worker (measure, pid 7) was killed by signal 9 (SIGKILL)"));
  EXPECT_FALSE(is_final(Outcome::kCrashed, "worker (compile, pid 7) was killed by signal 15 (SIGTERM); its last words: x"));
}

TEST(FinalResults, IsNoCompilerThatWasKilled) {
  EXPECT_FALSE(is_final(Outcome::kCrashed, "the compiler /usr/bin/gcc was killed by signal 9 (SIGKILL); out of memory? …"));
}

TEST(FinalResults, IsNothingThatAnotherTryMayChange) {
  for (const Outcome outcome : {Outcome::kTimeout, Outcome::kOutOfMemory, Outcome::kCancelled, Outcome::kSkipped}) {
    EXPECT_FALSE(is_final(outcome, "why")) << name_of(outcome);
  }
  for (const Outcome outcome : {Outcome::kTimed, Outcome::kDropped, Outcome::kCompileError, Outcome::kWrongResult}) {
    EXPECT_TRUE(is_final(outcome, "why")) << name_of(outcome);
  }
}

std::vector<Outcome> final_of(const std::vector<Outcome>& outcomes) {
  std::vector<TrialRecord> trials(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) trials[i].result.outcome = outcomes[i];
  std::vector<Outcome> kept;
  for (const TrialRecord& trial : engine::final_of(trials)) kept.push_back(trial.result.outcome);
  return kept;
}

TEST(FinalResults, IsAHangThatHappenedTwice) {
  using enum Outcome;
  EXPECT_EQ(final_of({kTimeout}), std::vector<Outcome>{});
  EXPECT_EQ(final_of({kTimeout, kTimeout}), (std::vector{kTimeout, kTimeout}));
  EXPECT_EQ(final_of({kTimeout, kOutOfMemory, kTimeout}), (std::vector{kTimeout, kTimeout}));
}

TEST(FinalResults, IsNoHangOfAPlanThatRanOnce) {
  using enum Outcome;
  EXPECT_EQ(final_of({kTimeout, kTimeout, kTimed}), (std::vector{kTimed}));
  EXPECT_EQ(final_of({kWrongResult, kTimeout}), (std::vector{kWrongResult}));
  EXPECT_EQ(final_of({kOutOfMemory, kOutOfMemory}), std::vector<Outcome>{});
}

}  // namespace
}  // namespace fuselab::engine
