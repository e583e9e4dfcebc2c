// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/search_budget.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

class Offers : public testing::Test {
 protected:
  static JobSpec job(double seconds) {
    JobSpec spec;
    spec.budget_seconds = seconds;
    return spec;
  }
  static TuningRecord ended(const std::string& stopped, const SearchBudget& budget) {
    TuningRecord record;
    record.strategy = budget.strategy;
    record.budget_seconds = budget.seconds_each();
    record.budget_trials = budget.trials;
    record.trials = 16;
    record.stopped = stopped;
    return record;
  }
  static TuningRecord unreached(const SearchBudget& budget) {
    TuningRecord record = ended(budget.unreached(), budget);
    record.trials = 0;
    return record;
  }

  SearchBudget run_ = search_budget_of(job(300), 400);
};

TEST_F(Offers, TheSameJobAgainHasNothingToDo) {
  for (const char* stopped : {"seconds", "trials", "converged", "exhausted", "roofline"})
    EXPECT_TRUE(is_answered(ended(stopped, run_), run_)) << stopped;
  EXPECT_TRUE(is_answered(unreached(run_), run_));
}

TEST_F(Offers, ADecisionThatAnUnfitMachineLeftOpenIsTriedAgain) {
  TuningRecord record = ended("exhausted", run_);
  record.decision.open = true;
  EXPECT_FALSE(is_answered(record, run_));
  EXPECT_TRUE(was_searched(record));
}

TEST_F(Offers, FewerSubjectsWithTheSameBudgetAreSearchedOn) {
  const SearchBudget alone = search_budget_of(job(300), 4);
  EXPECT_FALSE(is_answered(unreached(run_), alone));
  EXPECT_FALSE(is_answered(ended("seconds", run_), alone));
  EXPECT_TRUE(is_answered(ended("converged", run_), alone)) << "more time finds nothing more";
  EXPECT_TRUE(is_answered(ended("seconds", alone), run_)) << "it had more already";
}

TEST_F(Offers, ASearchLeftOutUnderAboutTheSameBudgetIsKnown) {
  EXPECT_TRUE(was_unreached_under(unreached(run_), search_budget_of(job(300), 390)));
  EXPECT_FALSE(was_unreached_under(unreached(run_), search_budget_of(job(300), 300)));
  EXPECT_FALSE(was_unreached_under(unreached(run_), search_budget_of(job(600), 400)));
  EXPECT_FALSE(was_unreached_under(ended("seconds", run_), run_));
}

TEST_F(Offers, ALargerBudgetSearchesOn) {
  const SearchBudget larger = search_budget_of(job(600), 400);
  EXPECT_FALSE(is_answered(ended("seconds", run_), larger));
  EXPECT_FALSE(is_answered(unreached(run_), larger));
}

TEST_F(Offers, ASearchThatNeverHappenedIsNotDoneForAnotherJob) {
  EXPECT_FALSE(is_answered(unreached(run_), search_budget_of(job(1.5), 4)))
      << "though every search of the other job was offered more";
  EXPECT_FALSE(is_answered(unreached(run_), search_budget_of(job(3), 4))) << "nor though it was offered the same";
  EXPECT_FALSE(was_searched(unreached(run_)));
}

TEST_F(Offers, WhatWasSearchedBeforeItsTurnDidNotComeIsStillSearched) {
  TuningRecord record = unreached(run_);
  record.trials = 12;
  EXPECT_TRUE(was_searched(record));
  EXPECT_TRUE(was_searched(ended("seconds", run_)));
  EXPECT_TRUE(is_answered(record, run_));
}

TEST_F(Offers, WhatWasGivenUpIsAnsweredForThisBudgetAndSaysWhy) {
  TuningRecord record = unreached(run_);
  EXPECT_EQ(given_up_because(record), "");
  record.stopped = run_.unreached("even its ideal is slower");
  EXPECT_EQ(given_up_because(record), "even its ideal is slower");
  EXPECT_TRUE(is_answered(record, run_));
  EXPECT_FALSE(was_searched(record));
  EXPECT_FALSE(is_answered(record, search_budget_of(job(600), 400))) << "a larger budget asks again";
}

TEST_F(Offers, AnotherStrategyIsAnotherSearchUnlessNothingIsLeftToFind) {
  JobSpec spec = job(300);
  spec.strategy = "exhaustive";
  const SearchBudget other = search_budget_of(spec, 400);
  for (const char* stopped : {"seconds", "trials", "converged"}) EXPECT_FALSE(is_answered(ended(stopped, run_), other)) << stopped;
  EXPECT_TRUE(is_answered(ended("exhausted", run_), other));
  EXPECT_TRUE(is_answered(ended("roofline", run_), other));
}

TEST_F(Offers, AnotherSeedIsAnotherSearchWhereTheStrategyHasOne) {
  JobSpec spec = job(300);
  spec.strategy = "random";
  const SearchBudget first = search_budget_of(spec, 400);
  spec.seed = 9;
  EXPECT_FALSE(is_answered(ended("trials", first), search_budget_of(spec, 400)));
  EXPECT_TRUE(is_answered(ended("trials", search_budget_of(spec, 400)), search_budget_of(spec, 400)));
  spec.strategy = "exhaustive";
  const SearchBudget in_order = search_budget_of(spec, 400);
  spec.seed = 1;
  EXPECT_TRUE(is_answered(ended("trials", in_order), search_budget_of(spec, 400)));
}

TEST_F(Offers, MoreTrialsSearchOn) {
  JobSpec spec = job(300);
  spec.budget_trials = 128;
  EXPECT_FALSE(is_answered(ended("trials", run_), search_budget_of(spec, 400)));
}

}  // namespace
}  // namespace fuselab::engine
