// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/replay/recorded_data.h"
#include "tuner/formats/recorded_formats.h"
#include "tuner/replay_evaluator.h"
#include "tuner/tuner.h"

namespace fuselab::tuner {
namespace {

constexpr int kSeeds = 40;

// Mean over seeds of optimum / best found after `trials` configurations, by first measurement.
double mean_quality(const RecordedSpace& recorded, std::string_view strategy_id, int trials) {
  ReplayEvaluator evaluator(recorded);
  TuneOptions options;
  options.budget = {trials, 60};
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto strategy = make_strategy(strategy_id, recorded.space, recorded.start, seed);
    if (!strategy.ok()) {
      ADD_FAILURE() << strategy.error().message;
      return 0;
    }
    const auto result = tune(*strategy.value(), evaluator, options, {});
    if (!result.ok() || !result.value().best) {
      ADD_FAILURE() << strategy_id << " found nothing with seed " << seed;
      return 0;
    }
    sum += *evaluator.optimum_ns() / *cost_of(result.value().evaluations[*result.value().best].result);
  }
  return sum / kSeeds;
}

const RecordedSpace& pnpoly() {
  static const RecordedSpace kRecorded = [] {
    auto recorded = parse_kernel_tuner(test::recorded_text("pnpoly_RTX3090.kernel_tuner.json"));
    EXPECT_TRUE(recorded.ok());
    return std::move(recorded).value();
  }();
  return kRecorded;
}

TEST(SearchQuality, CoordinateDescentBeatsRandomOnARecordedSpace) {
  const double random = mean_quality(pnpoly(), "random", 128);
  const double descent = mean_quality(pnpoly(), "coordinate-descent", 128);
  RecordProperty("random", std::to_string(random));
  RecordProperty("coordinate_descent", std::to_string(descent));
  EXPECT_GT(descent, random);
  EXPECT_GT(descent, 0.97) << "mean within 3 % of the optimum after 128 of 1980";
}

TEST(SearchQuality, EvolutionaryBeatsRandomOnARecordedSpace) {
  const double random = mean_quality(pnpoly(), "random", 128);
  const double evolutionary = mean_quality(pnpoly(), "evolutionary", 128);
  RecordProperty("random", std::to_string(random));
  RecordProperty("evolutionary", std::to_string(evolutionary));
  EXPECT_GT(evolutionary, random);
  EXPECT_GT(evolutionary, 0.95);
}

TEST(SearchQuality, ExhaustiveFindsTheOptimum) {
  ReplayEvaluator evaluator(pnpoly());
  auto strategy = make_strategy("exhaustive", pnpoly().space, pnpoly().start, 1);
  TuneOptions options;
  options.budget = {100000, 60};
  const auto result = tune(*strategy.value(), evaluator, options, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().stopped, StopReason::kExhausted);
  EXPECT_EQ(result.value().evaluations.size(), 1980U);
  EXPECT_EQ(cost_of(result.value().evaluations[*result.value().best].result), evaluator.optimum_ns());
}

TEST(SearchQuality, HoldsOnSpacesThatWereNotLookedAt) {
  const auto text = test::extra_text("dedispersion_MI250X.T4.json.gz");
  if (text.empty()) GTEST_SKIP() << "FUSELAB_REPLAY_DIR has no dedispersion_MI250X.T4.json.gz";
  auto recorded = parse_t1(test::recorded_text("dedispersion.T1.json")).value();
  recorded.trials = parse_t4(text).value();
  EXPECT_GT(mean_quality(recorded, "coordinate-descent", 128), mean_quality(recorded, "random", 128));
}

TEST(ReplayEvaluator, SkipsWhatWasNeverRecorded) {
  RecordedSpace recorded;
  ASSERT_TRUE(recorded.space.add(Parameter{"x", "", {std::int64_t{1}, std::int64_t{2}}}).ok());
  recorded.trials.push_back({{{"x", std::int64_t{1}}}, Outcome::kTimed, "", {5.0, 7.0, 6.0}, 0});
  ReplayEvaluator evaluator(recorded);
  EXPECT_EQ(evaluator.optimum_ns(), 6.0);
  const std::vector<LaunchConfig> both = {{{"x", std::int64_t{1}}}, {{"x", std::int64_t{2}}}};
  const auto evaluations = evaluator.evaluate(both, {});
  ASSERT_TRUE(evaluations.ok());
  EXPECT_EQ(evaluations.value()[0].result.outcome, Outcome::kTimed);
  EXPECT_TRUE(evaluations.value()[0].reused);
  EXPECT_EQ(evaluations.value()[1].result.outcome, Outcome::kSkipped);
  EXPECT_EQ(evaluations.value()[1].result.reason, "never recorded");
}

}  // namespace
}  // namespace fuselab::tuner
