// SPDX-License-Identifier: Apache-2.0
#include "core/changes/step_likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/changes/change_models.h"

namespace fuselab {
namespace {

const StepPlaces kAnywhere{3, 3, 1000, 0};

std::vector<double> drawn(double autocorrelation, std::uint64_t seed, int before, int after, double step) {
  SeriesModel model;
  model.autocorrelation = autocorrelation;
  std::vector<double> values;
  for (const Observation& each : draw_series(model, seed, before, after, step)) values.push_back(each.value);
  return values;
}

StepEvidence weighed(const std::vector<double>& values, const StepPlaces& places = kAnywhere) {
  return StepLikelihood().weigh(values, std::vector<double>(values.size(), 1), places);
}

// Both explanations have their own correlation: what one alone would give, with the step's correlation, is never less.
TEST(StepLikelihood, IsNoMoreThanWithTheCorrelationThatSuitsTheStep) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> values = drawn(0.3, seed, 40, 20, 1);
    const StepEvidence evidence = weighed(values);
    const std::vector<double> ones(values.size(), 1);
    const Step step = StepScan().best({values, ones, evidence.correlation_with}, kAnywhere);
    EXPECT_LE(evidence.score, step.share + 1e-12) << seed;
    EXPECT_GT(evidence.score, 0) << seed;
  }
}

// Without a step, its series is best explained by values that follow each other.
TEST(StepLikelihood, AStepThatIsDeniedPassesForCorrelation) {
  const StepEvidence evidence = weighed(drawn(0, 3, 30, 30, 4));
  EXPECT_GE(evidence.correlation_without, 0.5);
  EXPECT_LE(evidence.correlation_with, 0.3);
}

TEST(StepLikelihood, TellsCorrelationsApartInLongSeries) {
  for (const double truth : {0.0, 0.3, 0.6}) {
    const StepEvidence evidence = weighed(drawn(truth, 5, 1000, 1000, 1));
    EXPECT_NEAR(evidence.correlation_with, truth, 0.11) << truth;
  }
}

// Two halves a deviation below and above, each alternating: the sums of squares are 15 about one mean and 3 about two. About the
// step neighbours are as little correlated as can be; without it the halves follow each other, and 15 is less for it.
TEST(StepLikelihood, ASeriesWithoutAStepMayBeCorrelatedAndOneWithItNot) {
  const std::vector<double> values = {-1.5, -0.5, -1.5, -0.5, -1.5, -0.5, 0.5, 1.5, 0.5, 1.5, 0.5, 1.5};
  const StepEvidence evidence = weighed(values, {6, 6, 1000, 0});
  EXPECT_EQ(evidence.correlation_with, 0);
  EXPECT_GT(evidence.correlation_without, 0);
  EXPECT_LT(evidence.score, 1 - 3.0 / 15);
}

TEST(StepLikelihood, AnOldStepIsAskedForMore) {
  const std::vector<double> values = drawn(0, 8, 40, 20, 2);
  const double free = weighed(values).score, asked = weighed(values, {3, 3, 5, 6}).score;
  // -n ln(1 - score) is less by the handicap.
  EXPECT_NEAR(-60 * std::log1p(-free) - -60 * std::log1p(-asked), 6, 1e-9);
}

TEST(StepLikelihood, OfNothingIsNothing) {
  EXPECT_EQ(weighed({}).score, 0);
  EXPECT_EQ(weighed({1, 1}).score, 0);
  EXPECT_EQ(weighed(std::vector<double>(20, 0.0)).score, 0);
}

}  // namespace
}  // namespace fuselab
