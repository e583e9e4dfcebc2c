// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/base/random.h"
#include "tests/unit/tuner/tune_fixture.h"

namespace fuselab::tuner {
namespace {

// The start against the winner, by the gate's rule, in processes that a model of noise has measured.
class TuneDecides : public Tune {
 protected:
  // `ratio`: the winner's time over the start's. `scatter`: by how much processes differ at most, in the log-ratio.
  void compare_with(double ratio, double scatter) {
    options_.budget.trials = 1000;
    options_.compare_with_start = [this, ratio, scatter](const Evaluation& start, const Evaluation& winner, ComparedSide&) {
      EXPECT_EQ(start.config, test::small_start());
      held_.push_back(winner.config);
      ComparisonRule rule;
      rule.most_processes = 12;
      Comparison comparison(rule);
      SeededRandom random(11);
      while (const auto rounds = comparison.next_rounds()) {
        const double process = ratio * std::exp(scatter * (2 * random.unit() - 1));
        PairedSamples samples;
        for (int round = 0; round < *rounds; ++round) {
          samples.baseline.push_back(1000 * (1 + 0.002 * random.unit()));
          samples.candidate.push_back(1000 * process * (1 + 0.002 * random.unit()));
        }
        EXPECT_TRUE(comparison.tell(samples, {4e6}).ok());
      }
      return Result<ComparisonResult>(comparison.result());
    };
  }
  std::vector<LaunchConfig> held_;
};

TEST_F(TuneDecides, AWinnerThatIsTrulyFasterTakesTheStartsPlace) {
  compare_with(0.95, 0.004);
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(test::small_cost(best_of(result.value())), 100);
  ASSERT_TRUE(result.value().held && result.value().held->result);
  EXPECT_EQ(result.value().held->result->verdict, Verdict::kImproved);
  EXPECT_NEAR(result.value().held->result->ratio, 0.95, 0.01);
  EXPECT_EQ(held_, std::vector{best_of(result.value())});
}

TEST_F(TuneDecides, ATieKeepsTheStart) {
  compare_with(1, 0.002);
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(best_of(result.value()), test::small_start()) << "though another was the fastest in the confirmation";
  EXPECT_EQ(result.value().held->result->verdict, Verdict::kEquivalent);
  EXPECT_NE(result.value().held->winner, result.value().held->start);
}

TEST_F(TuneDecides, AnInconclusiveComparisonKeepsTheStartAndIsSaid) {
  compare_with(0.99, 0.05);
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(best_of(result.value()), test::small_start());
  EXPECT_EQ(result.value().held->result->verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.value().held->result->processes, 12);
}

TEST_F(TuneDecides, ComparesNothingWhereTheStartIsTheFastest) {
  compare_with(0.5, 0);
  evaluator_.on_retime = [](const LaunchConfig& config) { return timed(config, config == test::small_start() ? 1 : 100); };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(held_.empty());
  ASSERT_TRUE(result.value().held);
  EXPECT_EQ(result.value().held->winner, result.value().held->start);
  EXPECT_EQ(best_of(result.value()), test::small_start());
}

TEST_F(TuneDecides, TakesTheWinnerWhereTheStartDoesNotRun) {
  compare_with(1, 0);
  evaluator_.on_retime = [](const LaunchConfig& config) {
    return config == test::small_start() ? failed(config, Outcome::kWrongResult) : timed(config, test::small_cost(config));
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(held_.empty());
  EXPECT_FALSE(result.value().held);
  EXPECT_EQ(test::small_cost(best_of(result.value())), 100);
}

TEST_F(TuneDecides, KeepsTheStartWhereTheMachineIsNotFit) {
  options_.budget.trials = 1000;
  options_.compare_with_start = [](const Evaluation&, const Evaluation&, ComparedSide&) -> Result<ComparisonResult> {
    return Error{ErrorCode::kUnavailable, "the machine is not fit"};
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(best_of(result.value()), test::small_start());
  EXPECT_EQ(result.value().held->why_not->message, "the machine is not fit");
}

TEST_F(TuneDecides, TakesTheWinnerWhereTheStartFailsBesideIt) {
  options_.budget.trials = 1000;
  ComparedSide side = ComparedSide::kBaseline;
  options_.compare_with_start = [&side](const Evaluation&, const Evaluation&, ComparedSide& failed) -> Result<ComparisonResult> {
    failed = side;
    return Error{ErrorCode::kCrashed, "crashed: killed by signal 11"};
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().best, result.value().held->winner);
  EXPECT_NE(result.value().held->winner, result.value().held->start);
  EXPECT_EQ(result.value().held->failed, ComparedSide::kBaseline);
  side = ComparedSide::kCandidate;
  EXPECT_EQ(best_of(tune().value()), test::small_start()) << "the winner failed: nothing takes the start's place";
}

TEST_F(TuneDecides, EndsWithACancelAndWithADiskThatIsGone) {
  options_.budget.trials = 1000;
  ErrorCode code = ErrorCode::kCancelled;
  options_.compare_with_start = [&](const Evaluation&, const Evaluation&, ComparedSide&) -> Result<ComparisonResult> {
    return Error{code, "x"};
  };
  EXPECT_EQ(tune().value().stopped, StopReason::kCancelled);
  code = ErrorCode::kIo;
  EXPECT_FALSE(tune().ok());
}

}  // namespace
}  // namespace fuselab::tuner
