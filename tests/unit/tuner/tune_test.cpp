// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "tests/unit/tuner/tune_fixture.h"

namespace fuselab::tuner {
namespace {

TEST_F(Tune, FindsTheBestOfTheWholeSpaceAndConfirmsThreeBesideTheStart) {
  options_.budget.trials = 1000;
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kExhausted);
  EXPECT_EQ(test::small_cost(best_of(result.value())), 100);
  EXPECT_EQ(result.value().confirmations.size(), 4U);
  EXPECT_EQ(evaluator_.retimed.front(), best_of(result.value())) << "fastest first";
  EXPECT_EQ(evaluator_.retimed.back(), test::small_start());
  for (const std::size_t size : evaluator_.blocks) EXPECT_LE(size, options_.batch);
}

TEST_F(Tune, ChoosesByTheConfirmationNotTheFirstTiming) {
  options_.budget.trials = 1000;
  const auto lucky = test::small_space().enumerate(1000)[3];
  evaluator_.on_evaluate = [&](const LaunchConfig& config) {
    return timed(config, config == lucky ? 1 : test::small_cost(config));
  };
  evaluator_.on_retime = [&](const LaunchConfig& config) { return timed(config, test::small_cost(config)); };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(evaluator_.retimed.front(), lucky);
  EXPECT_EQ(test::small_cost(best_of(result.value())), 100);
}

TEST_F(Tune, KeepsAStartThatOnlyItsFirstFigureMadeLookSlow) {
  options_.budget.trials = 1000;
  evaluator_.on_evaluate = [](const LaunchConfig& config) {
    Evaluation evaluation = timed(config, config == test::small_start() ? 1e6 : test::small_cost(config));
    if (config == test::small_start()) evaluation.result.outcome = Outcome::kDropped;
    return evaluation;
  };
  evaluator_.on_retime = [](const LaunchConfig& config) {
    return timed(config, config == test::small_start() ? 1 : test::small_cost(config));
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(best_of(result.value()), test::small_start());
}

TEST_F(Tune, FallsBackToAFirstTimingThatNoConfirmationRefuted) {
  options_.budget.trials = 1000;
  evaluator_.on_retime = [](const LaunchConfig& config) { return failed(config, Outcome::kCrashed); };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result.value().best.has_value());
  EXPECT_EQ(result.value().confirmations.size(), 10U);
  for (const Evaluation& crashed : result.value().confirmations) EXPECT_FALSE(best_of(result.value()) == crashed.config);
}

TEST_F(Tune, ChoosesNothingWhenEveryConfirmationFails) {
  options_.budget.trials = 6;
  evaluator_.on_retime = [](const LaunchConfig& config) { return failed(config, Outcome::kTimeout); };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().confirmations.size(), 6U);
  EXPECT_FALSE(result.value().best.has_value());
}

TEST_F(Tune, TriesFurtherCandidatesHoweverTheConfirmationsFail) {
  options_.budget.trials = 1000;
  for (const Outcome outcome : {Outcome::kCrashed, Outcome::kTimeout, Outcome::kOutOfMemory, Outcome::kWrongResult,
                                Outcome::kLaunchError, Outcome::kMistrusted}) {
    std::vector<LaunchConfig> tried;
    evaluator_.on_retime = [&](const LaunchConfig& config) {
      tried.push_back(config);
      return tried.size() <= 4 ? failed(config, outcome) : timed(config, test::small_cost(config));
    };
    const auto result = tune();
    ASSERT_TRUE(result.ok());
    ASSERT_EQ(tried.size(), 7U) << name_of(outcome) << ": three and the start, all failed, then the next three";
    EXPECT_EQ(best_of(result.value()), tried[4]) << name_of(outcome);
  }
}

TEST_F(Tune, TakesNoneThatAConfirmationFoundWrong) {
  options_.budget.trials = 1000;
  std::vector<LaunchConfig> tried;
  evaluator_.on_retime = [&](const LaunchConfig& config) {
    tried.push_back(config);
    return tried.size() <= 4 ? failed(config, Outcome::kWrongResult) : timed(config, test::small_cost(config));
  };
  const auto next_best = tune();
  ASSERT_TRUE(next_best.ok());
  EXPECT_EQ(tried.size(), 7U) << "three and the start, all wrong, then the next three";
  EXPECT_EQ(best_of(next_best.value()), tried[4]);

  evaluator_.on_retime = [](const LaunchConfig& config) { return failed(config, Outcome::kWrongResult); };
  const auto unconfirmed = tune();
  ASSERT_TRUE(unconfirmed.ok());
  EXPECT_EQ(unconfirmed.value().confirmations.size(), 10U);
  for (const Evaluation& wrong : unconfirmed.value().confirmations) EXPECT_FALSE(best_of(unconfirmed.value()) == wrong.config);
}

TEST_F(Tune, NeverSpendsMoreTrialsThanTheBudget) {
  options_.budget.trials = 10;
  const auto result = tune();
  EXPECT_EQ(result.value().stopped, StopReason::kTrials);
  EXPECT_EQ(result.value().evaluations.size(), 10U);
  EXPECT_EQ(evaluator_.blocks, (std::vector<std::size_t>{4, 4, 2}));
  options_.budget.trials = 0;
  const auto nothing = tune();
  EXPECT_TRUE(nothing.value().evaluations.empty());
  EXPECT_FALSE(nothing.value().best.has_value());
}

TEST_F(Tune, EndsAfterItsSeconds) {
  options_.budget = {1000, 0.05};
  evaluator_.before_block = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const auto result = tune();
  EXPECT_EQ(result.value().stopped, StopReason::kSeconds);
  EXPECT_LE(evaluator_.blocks.size(), 3U);
  EXPECT_GE(result.value().seconds, 0.05);
}

TEST_F(Tune, StopsAtTheRoofline) {
  options_.budget.trials = 1000;
  options_.ideal = Nanoseconds{140};
  const auto result = tune();
  EXPECT_EQ(result.value().stopped, StopReason::kRoofline);
  EXPECT_LE(test::small_cost(best_of(result.value())), 140 * 1.05);
  EXPECT_LT(result.value().evaluations.size(), test::small_space().enumerate(1000).size());
}

// One sample that was too good would else end the search for ever.
TEST_F(Tune, GoesOnWhenAConfirmationTakesTheRooflineBack) {
  options_.budget.trials = 1000;
  options_.ideal = Nanoseconds{1};
  bool lucky = true;
  evaluator_.on_evaluate = [&](const LaunchConfig& config) {
    return timed(config, std::exchange(lucky, false) ? 1 : test::small_cost(config));
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kExhausted);
  EXPECT_EQ(result.value().evaluations.size(), test::small_space().enumerate(1000).size());
  EXPECT_EQ(result.value().confirmations.size(), 4U) << "of the last round alone";
  EXPECT_EQ(result.value().confirmations.front().config, best_of(result.value()));
}

TEST_F(Tune, GoesOnWhenWhatReachedTheRooflineFails) {
  options_.budget.trials = 1000;
  options_.ideal = Nanoseconds{140};
  std::size_t confirmed = 0;
  evaluator_.on_retime = [&](const LaunchConfig& config) {
    return confirmed++ < 4 ? failed(config, Outcome::kWrongResult) : timed(config, 1.01 * test::small_cost(config));
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result.value().best.has_value());
  EXPECT_GT(confirmed, 4U);
}

TEST_F(Tune, KeepsWhatItHasWhenCancelledBetweenBlocks) {
  evaluator_.before_block = [&] {
    if (evaluator_.blocks.size() == 3) source_.request_stop();
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kCancelled);
  EXPECT_EQ(result.value().evaluations.size(), 12U);
  EXPECT_TRUE(evaluator_.retimed.empty()) << "nothing is confirmed after a cancel";
  EXPECT_TRUE(result.value().best.has_value());
}

TEST_F(Tune, TakesACancelledBlockForACancel) {
  evaluator_.before_block = [&] {
    if (evaluator_.blocks.size() == 2) evaluator_.broken = Error{ErrorCode::kCancelled, "stopped"};
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kCancelled);
  EXPECT_EQ(result.value().evaluations.size(), 4U);
}

// Or the search would be stored as ended, and its winner never confirmed.
TEST_F(Tune, IsCancelledByACancelWithinTheConfirmation) {
  options_.budget.trials = 8;
  evaluator_.before_retime = [&]() -> std::optional<Error> {
    source_.request_stop();
    return Error{ErrorCode::kCancelled, "stopped"};
  };
  const auto within = tune();
  ASSERT_TRUE(within.ok());
  EXPECT_EQ(within.value().stopped, StopReason::kCancelled);
  EXPECT_TRUE(within.value().confirmations.empty());
}

TEST_F(Tune, IsCancelledBetweenTwoRoundsOfConfirmations) {
  options_.budget.trials = 1000;
  evaluator_.on_retime = [&](const LaunchConfig& config) {
    source_.request_stop();
    return failed(config, Outcome::kCrashed);
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kCancelled);
  EXPECT_EQ(result.value().confirmations.size(), 4U);
}

TEST_F(Tune, ReportsABrokenEvaluator) {
  evaluator_.broken = Error{ErrorCode::kIo, "the database is gone"};
  const auto result = tune();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "the database is gone");
}

TEST_F(Tune, StoresLosersAndNeverChoosesThem) {
  options_.budget.trials = 1000;
  evaluator_.on_evaluate = [](const LaunchConfig& config) {
    if (test::small_cost(config) < 110) return failed(config, Outcome::kWrongResult);
    if (config.integer("x", 0) == 0) {
      auto dropped = timed(config, 1);
      dropped.result.outcome = Outcome::kDropped;
      return dropped;
    }
    return timed(config, test::small_cost(config));
  };
  int failures = 0;
  const auto result = tune([&](const TuneProgress& progress) { failures = progress.failed; });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().evaluations.size(), test::small_space().enumerate(1000).size());
  EXPECT_GT(failures, 0);
  const auto& best = result.value().evaluations.at(*result.value().best);
  EXPECT_EQ(best.result.outcome, Outcome::kTimed);
  EXPECT_GE(test::small_cost(best.config), 110);
}

TEST_F(Tune, DoesNotPayForWhatWasSetAside) {
  options_.budget = {1000, 1};
  double aside = 5;  // from before this search
  options_.seconds_aside = [&] { return aside; };
  evaluator_.before_block = [&] {
    if (evaluator_.blocks.size() > 2) return;
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(1250));
    aside += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result.value().stopped, StopReason::kSeconds) << "seconds passed, but no time of its own";
  EXPECT_GT(evaluator_.blocks.size(), 2U);
  EXPECT_LT(result.value().seconds, 1);
}

TEST_F(Tune, HasNoBestWhenEverythingFails) {
  evaluator_.on_evaluate = [](const LaunchConfig& config) { return failed(config, Outcome::kCompileError); };
  const auto result = tune();
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result.value().best.has_value());
  EXPECT_TRUE(result.value().confirmations.empty());
}

TEST_F(Tune, BreaksTiesTowardsTheEarlierConfiguration) {
  evaluator_.on_evaluate = [](const LaunchConfig& config) { return timed(config, 100); };
  evaluator_.on_retime = evaluator_.on_evaluate;
  EXPECT_EQ(tune().value().best, 0U);
}

TEST_F(Tune, ReportsProgressPerConfiguration) {
  options_.budget.trials = 9;
  std::vector<int> tried;
  std::optional<double> last_best;
  const auto result = tune([&](const TuneProgress& progress) {
    tried.push_back(progress.tried);
    ASSERT_NE(progress.latest, nullptr);
    if (last_best) {
      EXPECT_LE(*progress.best_ns, *last_best);
    }
    last_best = progress.best_ns;
  });
  EXPECT_EQ(tried, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(Tune, CallsASearchThatGivesUpConverged) {
  class GivesUp final : public SearchStrategy {
   public:
    std::string_view id() const override { return "gives-up"; }
    std::vector<LaunchConfig> ask(std::size_t) override { return {}; }
    void tell(std::span<const Observation>) override {}
    bool exhausted() override { return false; }
  } strategy;
  const auto result = tuner::tune(strategy, evaluator_, options_, {});
  EXPECT_EQ(result.value().stopped, StopReason::kConverged);
}

TEST(StopReasons, HaveNames) {
  EXPECT_EQ(name_of(StopReason::kExhausted), "exhausted");
  EXPECT_EQ(name_of(StopReason::kRoofline), "roofline");
  EXPECT_EQ(name_of(StopReason::kCancelled), "cancelled");
}

}  // namespace
}  // namespace fuselab::tuner
