// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/suites.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/session/gate/selftest_rates.h"

namespace fuselab::session {
namespace {

Replay replay_of(Verdict verdict, double p_regressed = 1) {
  Replay replay;
  replay.processes.resize(5);
  replay.result.verdict = verdict;
  replay.result.p_regressed = p_regressed;
  return replay;
}

// Comparisons of identical sides, all equivalent.
StoredSelftest quiet(int comparisons) {
  StoredSelftest stored;
  for (int i = 0; i < comparisons; ++i) {
    SelftestTrial trial;
    trial.index = i;
    trial.first = replay_of(Verdict::kEquivalent);
    stored.trials.push_back(trial);
  }
  return stored;
}

void alarm(SelftestTrial& trial, Verdict confirmation, double p) {
  trial.first = replay_of(Verdict::kRegressed, 1e-3);
  trial.confirmation = replay_of(confirmation, p);
}

TEST(Suites, OfEquivalentComparisonsAreGreen) {
  auto const rates = resample_suites(quiet(500), 2000, 1);
  ASSERT_TRUE(rates.ok()) << rates.error().message;
  EXPECT_EQ(rates.value().sessions, 20);
  EXPECT_EQ(rates.value().red.events, 0);
  EXPECT_EQ(rates.value().undecided.events, 0);
  EXPECT_LT(rates.value().red.upper_bound(), 0.002);
  EXPECT_GT(rates.value().red_bound_of_record, 0.3) << "twenty sessions cannot promise more";
}

TEST(Suites, AreRedAsOftenAsARedSessionIsDrawn) {
  StoredSelftest stored = quiet(500);
  alarm(stored.trials[130], Verdict::kRegressed, 1e-6);
  auto const rates = resample_suites(stored, 4000, 7);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red_sessions.events, 1);
  EXPECT_NEAR(rates.value().red.share(), 1 - std::pow(0.95, 4), 0.03) << "four sessions of twenty make a suite";
}

TEST(Suites, AreNotRedForWhatDoesNotStandAmongAHundred) {
  StoredSelftest stored = quiet(500);
  alarm(stored.trials[130], Verdict::kRegressed, 5e-4);  // were its session drawn four times, 4e-4 would stand
  alarm(stored.trials[7], Verdict::kEquivalent, 0.5);
  auto const rates = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red.events, 0);
  EXPECT_GT(rates.value().undecided.events, 0) << "and are not called green either";
  for (std::size_t const place : {std::size_t{130}, std::size_t{131}}) alarm(stored.trials[place], Verdict::kRegressed, 1.9e-4);
  auto const both = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(both.ok());
  EXPECT_GT(both.value().red.events, 0) << "two of a hundred stand up to 2e-4";
}

TEST(Suites, LeaveOutSlowedSidesAndKeepSlicesApart) {
  StoredSelftest stored = quiet(110);
  for (int i = 60; i < 110; ++i) stored.trials[static_cast<std::size_t>(i)].slice = 1;
  SelftestTrial slowed = stored.trials.front();
  slowed.slowdown = 0.05;
  alarm(slowed, Verdict::kRegressed, 1e-9);
  stored.trials.insert(stored.trials.begin() + 3, slowed);
  auto const rates = resample_suites(stored, 100, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().sessions, 5) << "25, 25 and 10 of the first slice, 25 and 25 of the second";
  EXPECT_EQ(rates.value().red.events, 0);
}

TEST(Suites, AreUndecidedWhereTheMachineWasUnfit) {
  StoredSelftest stored = quiet(100);
  stored.trials[5].first.processes.clear();
  stored.trials[5].failure = "the machine is not fit to compare on";
  auto const rates = resample_suites(stored, 1000, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red.events, 0);
  EXPECT_NEAR(rates.value().undecided.share(), 1 - std::pow(0.75, 4), 0.06);
}

TEST(Suites, AreNotMadeOfTooLittle) {
  auto const rates = resample_suites(quiet(99), 10, 1);
  ASSERT_FALSE(rates.ok());
  EXPECT_EQ(rates.error().message, "the record holds 99 comparisons of identical sides; a suite of its confirmations takes 100");
}

TEST(SelftestRates, CountWhatWasNotJudgedAsNotFound) {
  StoredSelftest stored = quiet(4);
  for (SelftestTrial& trial : stored.trials) trial.slowdown = trial.index < 2 ? 0 : 0.02;
  alarm(stored.trials[2], Verdict::kRegressed, 1e-6);
  for (std::size_t const failed : {std::size_t{1}, std::size_t{3}}) {
    stored.trials[failed].first.processes.clear();
    stored.trials[failed].failure = "unfit";
  }
  auto const rates = rates_of(stored.trials);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].alarmed.trials, 1) << "what was not judged is no proof against false alarms";
  EXPECT_EQ(rates[0].failed, 1);
  EXPECT_EQ(rates[1].alarmed.events, 1);
  EXPECT_EQ(rates[1].alarmed.trials, 2) << "and found nothing";
}

}  // namespace
}  // namespace fuselab::session
