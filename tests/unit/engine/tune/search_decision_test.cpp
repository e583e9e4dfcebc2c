// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/search_decision.h"

#include <gmock/gmock.h>

#include "app/engine/tune/kernel_evaluator.h"
#include "app/views/decision_words.h"
#include "core/measure/disturbance.h"

namespace fuselab::engine {
namespace {

using ::testing::HasSubstr;

tuner::Evaluation timed(std::int64_t a, double ns) {
  tuner::Evaluation evaluation;
  evaluation.config = LaunchConfig{{"a", a}};
  evaluation.result.outcome = Outcome::kTimed;
  evaluation.result.samples = {ns, ns, ns};
  return evaluation;
}

// A search of two, the second of which was held against the first.
tuner::TuneResult search(std::optional<ComparisonResult> compared, std::optional<Error> why_not = {},
                         ComparedSide failed = ComparedSide::kNeither) {
  tuner::TuneResult result;
  result.evaluations = {timed(0, 1000), timed(1, 900)};
  result.best = compared && compared->verdict == Verdict::kImproved ? 1 : 0;
  result.held = tuner::HeldAgainstStart{0, 1, std::move(compared), std::move(why_not), failed};
  return result;
}

ComparisonResult compared(Verdict verdict, double ratio) {
  ComparisonResult result;
  result.verdict = verdict;
  result.ratio = ratio;
  result.interval = {ratio - 0.05, ratio + 0.05};
  result.processes = 6;
  return result;
}

TuningRecord record_with(const TuningDecision& decision, const std::string& best) {
  TuningRecord record;
  record.best_config = best;
  record.decision = decision;
  return record;
}

TEST(RuleOfSearch, IsTheGatesButForWhatASearchCanAfford) {
  const ComparisonRule rule = rule_of_search(60, {400'000}), gate;
  EXPECT_EQ(rule.margin, gate.margin);
  EXPECT_EQ(rule.alpha, gate.alpha);
  EXPECT_EQ(rule.least_processes, gate.least_processes);
  EXPECT_EQ(rule.first_rounds, gate.first_rounds);
  EXPECT_EQ(rule.most_processes, 12);
  EXPECT_EQ(rule.budget.seconds(), 2);
  EXPECT_EQ(rule_of_search(0.1, {400'000}).budget.seconds(), 0.2);
  EXPECT_EQ(rule_of_search(10, {400'000}).budget.seconds(), 0.5);
}

TEST(RuleOfSearch, GivesSlowKernelsFewerRoundsAndNeverTooFew) {
  EXPECT_EQ(rule_of_search(60, {30e6}).first_rounds, 12);
  EXPECT_EQ(rule_of_search(60, {1e9}).first_rounds, 4);
  EXPECT_EQ(rule_of_search(60, {1e9}).first_rounds % 2, 0);
  EXPECT_EQ(rule_of_search(60, {0}).first_rounds, 20);
}

TEST(RuleOfSearch, CountsWhatASampleLastsNotARun) {
  Protocol protocol;
  EXPECT_EQ(round_of(timed(0, 1000), timed(1, 3e6), protocol).count, 200'000 + 3e6);
  protocol.mode = CacheMode::kCold;
  EXPECT_EQ(round_of(timed(0, 1000), timed(1, 3e6), protocol).count, 1000 + 3e6);
}

TEST(Decisions, SayWhatWasFasterAndByHowMuch) {
  const TuningDecision decision = decision_of(search(compared(Verdict::kImproved, 0.8)));
  EXPECT_EQ(decision.baseline, "a=0");
  EXPECT_EQ(decision.candidate, "a=1");
  EXPECT_EQ(decision.processes, 6);
  EXPECT_EQ(decision_text(decision), "a=1 is 1.25x faster [1.18, 1.33] than a=0, which the search began with (6 processes)");
  EXPECT_EQ(decision_word(decision), "1.25x [1.18, 1.33]");
}

TEST(Decisions, SayWhyWhatWasKnownIsKept) {
  const auto text = [](Verdict verdict, double ratio) { return decision_text(decision_of(search(compared(verdict, ratio)))); };
  EXPECT_EQ(text(Verdict::kEquivalent, 1), "a=0 stays: a=1 is as fast within 1%: 1.00x [0.95, 1.05] (6 processes)");
  EXPECT_THAT(text(Verdict::kInconclusive, 0.98), HasSubstr("a=0 stays: a=1 was not shown to be faster: 1.02x"));
  EXPECT_THAT(text(Verdict::kRegressed, 1.25), HasSubstr("a=0 stays: a=1 is slower: 0.80x"));
  tuner::TuneResult none = search({});
  none.held->winner = none.held->start;
  EXPECT_EQ(decision_text(decision_of(none)), "a=0 stays: nothing was faster in the confirmation");
  EXPECT_EQ(decision_word(decision_of(search(compared(Verdict::kInconclusive, 1)))), "inconclusive");
}

TEST(Decisions, AreOpenWhereTheMachineWasNotFitAndNotWhereTheWinnerFailed) {
  const TuningDecision unfit = decision_of(search({}, Error{ErrorCode::kUnavailable, "6 of 7 processes were disturbed"}));
  EXPECT_TRUE(unfit.open);
  EXPECT_EQ(decision_text(unfit), "a=0 stays: a=1 could not be compared with it: 6 of 7 processes were disturbed");
  EXPECT_EQ(decision_word(unfit), "not decided");
  const Error not_here{ErrorCode::kUnavailable, "candidate: skipped: its library is gone"};
  const TuningDecision failed = decision_of(search({}, not_here, ComparedSide::kCandidate));
  EXPECT_FALSE(failed.open) << "the same error, of the winner";
  EXPECT_EQ(decision_text(failed), "a=0 stays: a=1 could not be compared with it: candidate: skipped: its library is gone");
}

TEST(Decisions, SayThatWhatTheSearchBeganWithFailed) {
  const Error crash{ErrorCode::kCrashed, "baseline: crashed: killed by signal 11"};
  EXPECT_EQ(decision_text(decision_of(search({}, crash, ComparedSide::kBaseline))),
            "a=1 takes the place of a=0, which failed: baseline: crashed: killed by signal 11");
  EXPECT_EQ(decision_text(decision_of(search({}, crash))), "a=0 stays: a=1 could not be compared with it: " + crash.message)
      << "whatever the words are";
}

TEST(Decisions, AreNotKnownOfASearchThatComparedNothing) {
  tuner::TuneResult result = search({});
  result.held.reset();
  EXPECT_FALSE(decision_of(result).is_known());
  EXPECT_EQ(decision_text(decision_of(result)), "");
  EXPECT_EQ(decision_word(decision_of(result)), "");
}

// Who asks why a configuration is used wants to know what it was better than, not what else was no better than it.
TEST(Decisions, StayWithAConfigurationThatALaterSearchDoesNotReplace) {
  const auto later = [](const std::string& began_with, const std::string& verdict) {
    TuningDecision decision;
    decision.baseline = began_with;
    decision.candidate = "a=2";
    decision.verdict = verdict;
    decision.open = verdict.empty();
    return decision;
  };
  const TuningRecord before = record_with(decision_of(search(compared(Verdict::kImproved, 0.8))), "a=1");
  EXPECT_EQ(decision_in_force(later("a=1", "equivalent"), before).baseline, "a=0");
  EXPECT_EQ(decision_in_force(later("a=1", "improved"), before).baseline, "a=1");
  EXPECT_TRUE(decision_in_force(later("a=1", ""), before).open) << "or no later job would decide it";
  EXPECT_EQ(decision_in_force(later("a=9", "equivalent"), before).baseline, "a=9");
  EXPECT_EQ(decision_in_force(later("a=9", "equivalent"), record_with({}, "a=9")).baseline, "a=9") << "a row of before";
}

TEST(AnotherComparison, IsForThoseWhomOtherLoadMayHaveMadeSlow) {
  PlanResult dropped;
  dropped.outcome = Outcome::kDropped;
  dropped.reason = "1.6 times as slow as the best";
  dropped.samples = {190, 160, 170};
  EXPECT_FALSE(deserves_another_measurement(dropped, 100)) << "nothing disturbed it: it is slow";
  note_disturbance(dropped, "31 involuntary context switches in 0.02 s");
  EXPECT_TRUE(deserves_another_measurement(dropped, 100));
  EXPECT_FALSE(deserves_another_measurement(dropped, 79)) << "slower than half a processor explains";
  dropped.outcome = Outcome::kTimed;
  EXPECT_FALSE(deserves_another_measurement(dropped, 100));
}

}  // namespace
}  // namespace fuselab::engine
