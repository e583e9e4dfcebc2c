// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/suites.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/gate/selftest/selftest_rates.h"

namespace fuselab::engine {
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
  trial.confirmation->result.interval = confirmation == Verdict::kRegressed ? Interval{1.02, 1.08} : Interval{0.995, 1.005};
}

TEST(Suites, OfEquivalentComparisonsAreGreen) {
  const auto rates = resample_suites(quiet(500), 2000, 1);
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
  const auto rates = resample_suites(stored, 4000, 7);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red_sessions.events, 1);
  EXPECT_NEAR(rates.value().red.share(), 1 - std::pow(0.95, 4), 0.03) << "four sessions of twenty make a suite";
}

TEST(Suites, AreNotRedForWhatDoesNotStandAmongAHundred) {
  StoredSelftest stored = quiet(500);
  alarm(stored.trials[130], Verdict::kRegressed, 5e-4);  // were its session drawn four times, 4e-4 would stand
  alarm(stored.trials[7], Verdict::kEquivalent, 0.5);
  const auto rates = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red.events, 0);
  EXPECT_GT(rates.value().undecided.events, 0) << "and are not called green either";
  for (const std::size_t place : {std::size_t{130}, std::size_t{131}}) alarm(stored.trials[place], Verdict::kRegressed, 1.9e-4);
  const auto both = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(both.ok());
  EXPECT_GT(both.value().red.events, 0) << "two of a hundred stand up to 2e-4";
}

TEST(Suites, OfShortSessionsTakeMoreOfThem) {
  StoredSelftest stored = quiet(2000);
  for (SelftestTrial& trial : stored.trials) trial.slice = trial.index / 5;
  const auto rates = resample_suites(stored, 1000, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().sessions, 400);
  EXPECT_DOUBLE_EQ(rates.value().sessions_of_suite, 20) << "a hundred in fives";
  const double each = rates.value().red_sessions.upper_bound();
  EXPECT_NEAR(rates.value().red_bound_of_record, 1 - std::pow(1 - each, 20), 1e-12);
  EXPECT_GT(rates.value().red_bound_of_record, 0.13) << "of 400 sessions without any that is red";
}

TEST(Suites, OfSessionsOfAnyLengthTakeNoFewerThanAreDrawn) {
  StoredSelftest stored = quiet(250);
  for (SelftestTrial& trial : stored.trials) trial.slice = (trial.index + 24) / 25 * 2 + (trial.index % 25 == 0 ? 0 : 1);
  const auto rates = resample_suites(stored, 4000, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().sessions, 20) << "ten of one, ten of 24";
  EXPECT_GT(rates.value().sessions_of_suite, 8) << "100 / 12.5, and what the last one has too much";
  EXPECT_LT(rates.value().sessions_of_suite, 10);
}

TEST(Suites, AreRedByASessionWhoseComparisonsStandTogether) {
  StoredSelftest stored = quiet(500);
  for (const std::size_t place : {std::size_t{130}, std::size_t{131}}) alarm(stored.trials[place], Verdict::kRegressed, 1.9e-4);
  const auto both = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both.value().red_sessions.events, 1) << "neither alone would: two of a hundred stand up to 2e-4";
  stored.spec.suite = 10;
  alarm(stored.trials[131], Verdict::kEquivalent, 0.5);
  alarm(stored.trials[130], Verdict::kRegressed, 9e-4);
  const auto small = resample_suites(stored, 1000, 7);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small.value().red_sessions.events, 1) << "one of ten stands up to 1e-3, wherever in its session it is";
}

TEST(Suites, LeaveOutSlowedSidesAndKeepSlicesApart) {
  StoredSelftest stored = quiet(110);
  for (int i = 60; i < 110; ++i) stored.trials[static_cast<std::size_t>(i)].slice = 1;
  SelftestTrial slowed = stored.trials.front();
  slowed.slowdown = 0.05;
  alarm(slowed, Verdict::kRegressed, 1e-9);
  stored.trials.insert(stored.trials.begin() + 3, slowed);
  const auto rates = resample_suites(stored, 100, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().sessions, 5) << "25, 25 and 10 of the first slice, 25 and 25 of the second";
  EXPECT_EQ(rates.value().red.events, 0);
}

TEST(Suites, BeginWithAnySlice) {
  StoredSelftest stored = quiet(100);
  for (SelftestTrial& trial : stored.trials) trial.slice = -1;  // no record that is read says so
  const auto rates = resample_suites(stored, 10, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().sessions, 4);
}

TEST(Suites, AreUndecidedWhereTheMachineWasUnfit) {
  StoredSelftest stored = quiet(100);
  stored.trials[5].first.processes.clear();
  stored.trials[5].failure = "the machine is not fit to compare on";
  const auto rates = resample_suites(stored, 1000, 1);
  ASSERT_TRUE(rates.ok());
  EXPECT_EQ(rates.value().red.events, 0);
  EXPECT_NEAR(rates.value().undecided.share(), 1 - std::pow(0.75, 4), 0.06);
}

TEST(Suites, AreNotMadeOfTooLittle) {
  const auto rates = resample_suites(quiet(99), 10, 1);
  ASSERT_FALSE(rates.ok());
  EXPECT_EQ(rates.error().message, "the record holds 99 comparisons of identical sides; a suite of its confirmations takes 100");
}

TEST(SelftestRates, CountWhatWasNotJudgedAsNotFound) {
  StoredSelftest stored = quiet(4);
  for (SelftestTrial& trial : stored.trials) trial.slowdown = trial.index < 2 ? 0 : 0.02;
  alarm(stored.trials[2], Verdict::kRegressed, 1e-6);
  for (const std::size_t failed : {std::size_t{1}, std::size_t{3}}) {
    stored.trials[failed].first.processes.clear();
    stored.trials[failed].failure = "unfit";
  }
  const auto rates = rates_of(stored.trials);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].alarmed.trials, 1) << "what was not judged is no proof against false alarms";
  EXPECT_EQ(rates[0].failed, 1);
  EXPECT_EQ(rates[1].alarmed.events, 1);
  EXPECT_EQ(rates[1].alarmed.trials, 2) << "and found nothing";
}

TEST(Registration, IsWholeHoweverMuchWasAsked) {
  SelftestSpec spec;
  spec.slowdowns.assign(200, 0.0123456);
  const std::string text = registration(spec, "0123456789012345678901234567890123456789-dirty");
  EXPECT_NE(text.find(", +1.23 %; margin 1 %, intervals of 99 %, 5 to 40 processes, at most 2 s of kernel time each; "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(", commit 0123456789012345678901234567890123456789-dirty\nkernels: w1 rows=128,cols=1024; "),
            std::string::npos)
      << text;
}

TEST(Registration, IsTwoLinesOfPlainWords) {
  SelftestSpec spec;
  spec.subjects = {"w3\x1b[2J\nw4", "w5"};
  spec.bindings = {"rows=\x1b]0;evil\x07",
                   "\xc2\x9b"
                   "2J"};
  const std::string text = registration(spec, "abc\x1b[31m\r\ndef");
  EXPECT_NE(text.find(", commit abc?[31m??def\nkernels: w3?[2J?w4 rows=?]0;evil?; w5 ?2J"), std::string::npos) << text;
}

}  // namespace
}  // namespace fuselab::engine
