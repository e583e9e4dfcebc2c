// SPDX-License-Identifier: Apache-2.0
#include "core/changes/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/changes/change_models.h"
#include "core/stats/error_rate.h"
#include "tests/support/rotation.h"

namespace fuselab {
namespace {

const SeriesModel& model_named(std::string_view name) {
  for (const SeriesModel& model : series_models()) {
    if (model.name == name) return model;
  }
  ADD_FAILURE() << "no model " << name;
  return series_models().front();
}

std::vector<Observation> observations(const std::vector<double>& values) {
  std::vector<Observation> series;
  for (const double value : values) series.push_back({value, 0});
  return series;
}

ChangePoints changes_in(const std::vector<Observation>& series, const ChangePointRule& rule = {}) {
  const auto found = find_change_points(series, rule);
  EXPECT_TRUE(found.ok());
  return found.ok() ? found.value() : ChangePoints{};
}

ChangePointRule quick(std::uint64_t seed = 1) {
  ChangePointRule rule;
  rule.surrogates = 999;
  rule.seed = seed;
  return rule;
}

// The annual flow of the Nile at Aswan, 1871 to 1970 (Cobb, Biometrika 65, 1978; R's data set Nile): it fell after 1898, as Cobb,
// Bai and Perron's method and many others find; nothing else changed for sure.
const std::vector<double> kNile = {
    1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935, 1110, 994,  1020, 960,  1180, 799,  958,  1140,
    1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,  874,  694, 940,  833,  701,  916,  692,  1020, 1050, 969,
    831,  726,  456,  824,  702,  1120, 1100, 832,  764,  821,  768,  845, 864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845,  944,  984,  897,  822,  1010, 771,  676,  649,  846, 812,  742,  801,  1040, 860,  874,  848,  890,
    744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,  1020, 906, 901,  1170, 912,  746,  919,  718,  714,  740};

TEST(ChangePoints, TheNileFellAfter1898) {
  const ChangePoints found = changes_in(observations(kNile));
  ASSERT_EQ(found.changes.size(), 1U);
  const ChangePoint& change = found.changes[0];
  EXPECT_EQ(change.at, 28U) << "1899 is the first year of the new level";
  EXPECT_LE(change.earliest, 28U);
  EXPECT_GE(change.earliest, 22U);
  EXPECT_GE(change.latest, 28U);
  EXPECT_LE(change.latest, 33U);
  // The means are 1098 and 850; medians are not far.
  EXPECT_NEAR(change.change, -248, 40);
  EXPECT_LT(change.interval.high, 0);
  EXPECT_LE(change.p_value, 0.001);
}

TEST(ChangePoints, OfBothSidesOfAChangeEachIsLookedAt) {
  std::vector<Observation> series = draw_series(model_named("independent"), 5, 30, 0, 0);
  const std::vector<Observation> middle = draw_series(model_named("independent"), 6, 30, 0, 0);
  const std::vector<Observation> end = draw_series(model_named("independent"), 7, 30, 0, 0);
  for (const Observation& each : middle) series.push_back({each.value + 6, 0});
  for (const Observation& each : end) series.push_back({each.value - 2, 0});
  const ChangePoints found = changes_in(series, quick());
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[0].at, 30U);
  EXPECT_EQ(found.changes[1].at, 60U);
  EXPECT_NEAR(found.changes[0].change, 6, 1);
  EXPECT_NEAR(found.changes[1].change, -8, 1);
  ASSERT_EQ(found.levels.size(), 3U);
  EXPECT_NEAR(found.deviation, 1, 0.25);
}

TEST(ChangePoints, OutliersAreNoChange) {
  std::vector<Observation> series = draw_series(model_named("independent"), 11, 60, 0, 0);
  series[20].value += 50;
  series[41].value -= 1000;
  series[59].value += 1e6;
  EXPECT_TRUE(changes_in(series, quick()).changes.empty());
}

TEST(ChangePoints, AShortOrConstantSeriesHasNone) {
  EXPECT_TRUE(changes_in({}).changes.empty());
  EXPECT_TRUE(changes_in(observations({1})).changes.empty());
  EXPECT_TRUE(changes_in(observations({1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5})).changes.empty());
  const ChangePoints constant = changes_in(observations(std::vector<double>(40, 0.25)));
  EXPECT_TRUE(constant.changes.empty());
  EXPECT_EQ(constant.deviation, 0);
  EXPECT_EQ(constant.levels, std::vector<double>{0.25});
}

TEST(ChangePoints, ACleanStepIsFound) {
  std::vector<double> values(40, 0.0);
  for (std::size_t i = 20; i < values.size(); ++i) values[i] = 1;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i % 2 == 0 ? 0.01 : -0.01;
  const ChangePoints found = changes_in(observations(values), quick());
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].at, 20U);
  EXPECT_EQ(found.changes[0].earliest, 20U);
  EXPECT_EQ(found.changes[0].latest, 20U);
  EXPECT_NEAR(found.changes[0].change, 1, 0.03);
}

TEST(ChangePoints, ALineIsADriftAndNoStep) {
  std::vector<Observation> series = draw_series(model_named("independent"), 3, 60, 0, 0);
  for (std::size_t i = 0; i < series.size(); ++i) series[i].value += 0.2 * static_cast<double>(i);
  const ChangePoints found = changes_in(series, quick());
  EXPECT_TRUE(found.changes.empty());
  ASSERT_EQ(found.drifts.size(), 1U);
  EXPECT_EQ(found.drifts[0].first, 0U);
  EXPECT_EQ(found.drifts[0].last, 59U);
  EXPECT_NEAR(found.drifts[0].change, 0.2 * 59, 1.5);
}

// A run with a wide interval says little: where only such runs are higher, nothing is called.
TEST(ChangePoints, ImpreciseRunsCountForLess) {
  std::vector<Observation> series = draw_series(model_named("independent"), 21, 60, 0, 0);
  for (Observation& each : series) each.standard_error = 0.1;
  for (std::size_t i = 56; i < 60; ++i) series[i].value = 3;
  EXPECT_FALSE(changes_in(series, quick()).changes.empty());
  for (std::size_t i = 56; i < 60; ++i) series[i].standard_error = 6;
  EXPECT_TRUE(changes_in(series, quick()).changes.empty());
}

// So many runs of the very same kernel, then measured ones of another, that much slower.
std::vector<Observation> identical_then(std::uint64_t seed, int identical, int measured, double step) {
  std::vector<Observation> series(static_cast<std::size_t>(identical), Observation{0, 0, true});
  for (const Observation& each : draw_series(model_named("independent"), seed, measured, 0, 0))
    series.push_back({each.value + step, 0.5});
  return series;
}

TEST(ChangePoints, AStepBehindIdenticalRunsIsFound) {
  const ChangePoints found = changes_in(identical_then(9, 28, 12, 5), quick());
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].at, 28U);
  EXPECT_NEAR(found.changes[0].change, 5, 1);
  EXPECT_GT(found.deviation, 0.4) << "exact runs say nothing of how measured ones scatter, whose standard errors are 0.5";
}

// Where exact runs end and measured ones of the same level begin, nothing changed.
TEST(ChangePoints, IdenticalRunsMakeNoStepOfWhatIsMeasured) {
  const int trials = test::run_everything() ? 3000 : 100;
  ErrorRate alarms{0, trials};
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t seed = 7919ULL * test::sample_seed() + 1000003ULL * static_cast<std::uint64_t>(trial);
    constexpr int kMeasured[] = {3, 5, 15, 30};
    const int measured = kMeasured[trial % 4];
    alarms.events += changes_in(identical_then(seed, 60 - measured, measured, 0), quick(~seed)).changes.empty() ? 0 : 1;
  }
  EXPECT_LE(alarms.lower_bound(0.99999), 0.01) << alarms.events << " of " << alarms.trials;
  EXPECT_TRUE(changes_in(std::vector<Observation>(40, Observation{0, 0, true})).changes.empty()) << "nothing but identical runs";
}

// The larger the step, the wider what an outlier is told by.
TEST(ChangePoints, AnOutlierHidesNoStepHoweverLarge) {
  for (const double size : {3.0, 6.0, 15.0, 30.0}) {
    std::vector<Observation> series = draw_series(model_named("independent"), 3, 25, 15, size);
    series[7].value = 300;
    const ChangePoints found = changes_in(series, quick(1));
    ASSERT_EQ(found.changes.size(), 1U) << size;
    EXPECT_EQ(found.changes[0].at, 25U);
  }
}

TEST(ChangePoints, TheSameSeriesGivesTheSameAnswer) {
  const std::vector<Observation> series = observations(kNile);
  const ChangePoints first = changes_in(series, quick(4)), second = changes_in(series, quick(4));
  ASSERT_EQ(first.changes.size(), second.changes.size());
  ASSERT_FALSE(first.changes.empty());
  EXPECT_EQ(first.changes[0].p_value, second.changes[0].p_value);
}

TEST(ChangePoints, RefusesWhatNoRunGives) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, infinite, -infinite}) EXPECT_FALSE(find_change_points(observations({0, wrong})).ok());
  EXPECT_FALSE(find_change_points(std::vector<Observation>{{0, -1}}).ok());
  EXPECT_FALSE(find_change_points(std::vector<Observation>{{0, nan}}).ok());
  EXPECT_FALSE(find_change_points(std::vector<Observation>(kMostObservations + 1)).ok());
  ChangePointRule rule;
  rule.alpha = 0;
  EXPECT_FALSE(find_change_points(observations({0}), rule).ok());
}

// Levels that are beyond doubt are not taken for correlation, in which the step beside them would hide.
TEST(ChangePoints, AStepIsSeenBesideAnother) {
  std::vector<Observation> series = draw_series(model_named("independent"), 31, 60, 0, 0);
  for (std::size_t i = 20; i < 40; ++i) series[i].value += 4;
  const ChangePoints found = changes_in(series, quick());
  ASSERT_EQ(found.changes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(static_cast<double>(found.changes[i].at), 20.0 * static_cast<double>(i + 1), 1);
  EXPECT_LT(found.autocorrelation, 0.4);
}

ErrorRate alarms_of(std::string_view model, std::uint64_t first_seed, int trials) {
  ErrorRate alarms{0, trials};
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t seed = first_seed + 1000003ULL * static_cast<std::uint64_t>(trial);
    alarms.events += changes_in(draw_series(model_named(model), seed, 60, 0, 0), quick(~seed)).changes.empty() ? 0 : 1;
  }
  return alarms;
}

// The share of series whose step of two deviations is found when five runs lie behind it.
ErrorRate found_of(std::string_view model, std::uint64_t first_seed, int trials) {
  ErrorRate found{0, trials};
  for (int trial = 0; trial < trials; ++trial) {
    const std::uint64_t seed = first_seed + 1000003ULL * static_cast<std::uint64_t>(trial);
    const ChangePoints changes = changes_in(draw_series(model_named(model), seed, 60, 5, 2), quick(~seed));
    found.events += std::any_of(changes.changes.begin(), changes.changes.end(),
                                [](const ChangePoint& change) { return change.at >= 55 && change.change > 0; })
                        ? 1
                        : 0;
  }
  return found;
}

// What `fuselab history --models` prints, and the guide promises: at most one of a hundred, with its bound. In full always the
// same series, so that it holds or does not; else a few others that the seed chooses, of which so many as tell of a broken rule
// would show.
TEST(ChangePoints, StationarySeriesSeldomShowAny) {
  for (const std::string_view name : {"independent", "AR 0.3", "outliers"}) {
    if (test::run_everything()) {
      const ErrorRate alarms = alarms_of(name, 1, 6000);
      EXPECT_LE(alarms.upper_bound(), 0.01) << name << ": " << alarms.events << " of " << alarms.trials;
    } else {
      const ErrorRate alarms = alarms_of(name, 7919ULL * test::sample_seed(), 200);
      EXPECT_LE(alarms.lower_bound(0.99999), 0.01) << name << ": " << alarms.events << " of " << alarms.trials;
    }
  }
}

TEST(ChangePoints, AStepOfTwoDeviationsIsFoundWithinFiveRuns) {
  if (test::run_everything()) {
    const ErrorRate found = found_of("independent", 1, 1000);
    EXPECT_GE(found.lower_bound(), 0.75) << found.events << " of " << found.trials;
  } else {
    const ErrorRate found = found_of("independent", 7919ULL * test::sample_seed(), 40);
    EXPECT_GE(found.upper_bound(0.99999), 0.75) << found.events << " of " << found.trials;
  }
}

TEST(ChangePoints, AClearStepIsFoundSoon) {
  const int trials = test::run_everything() ? 300 : 15;
  for (const std::string_view name : {"independent", "AR 0.3"}) {
    ErrorRate found{0, trials};
    for (int trial = 0; trial < trials; ++trial) {
      const std::uint64_t seed = 1000003ULL * test::sample_seed() + static_cast<std::uint64_t>(trial);
      found.events += changes_in(draw_series(model_named(name), seed, 60, 8, 4), quick(seed)).changes.empty() ? 0 : 1;
    }
    EXPECT_GE(found.upper_bound(0.99999), 0.95) << name << ": " << found.events << " of " << trials;
  }
}

// With sixty independent runs before and five after, the distance of a step of two deviations is 2 / sqrt(1/60 + 1/5) of its own
// errors: 4.30. Of neighbours correlated by 0.3, computed by hand from the whitened step: 3.47.
TEST(ChangeModels, NobodyFindsMoreThanIsThere) {
  const auto power = [](double distance) { return 0.5 * std::erfc((2.5758293035489004 - distance) / std::sqrt(2)); };
  EXPECT_NEAR(best_power(model_named("independent"), 60, 5, 2, 0.01), power(2 / std::sqrt(1.0 / 60 + 1.0 / 5)), 1e-6);
  EXPECT_NEAR(best_power(model_named("AR 0.3"), 60, 5, 2, 0.01), power(3.471), 0.001);
  EXPECT_NEAR(best_power(model_named("AR 0.3"), 60, 5, 0, 0.01), 0.01, 1e-9);
}

TEST(ChangeModels, DrawsWhatTheySay) {
  for (const SeriesModel& model : series_models()) {
    const std::vector<Observation> series = draw_series(model, 7, 20000, 0, 0);
    double mean = 0, squares = 0, products = 0;
    int counted = 0;
    for (std::size_t i = 1; i < series.size(); ++i) {
      const double drift = model.drift / 60;
      const double here = series[i].value - drift * static_cast<double>(i),
                   last = series[i - 1].value - drift * static_cast<double>(i - 1);
      if (std::abs(here) > 6 || std::abs(last) > 6) continue;
      ++counted;
      mean += here;
      squares += here * here;
      products += here * last;
    }
    EXPECT_NEAR(mean / counted, 0, 0.06) << model.name;
    EXPECT_NEAR(squares / counted, 1, 0.06) << model.name;
    EXPECT_NEAR(products / squares, model.autocorrelation, 0.03) << model.name;
  }
}

TEST(ChangeModels, WhatFollowsDoesNotChangeWhatWas) {
  const std::vector<Observation> shorter = draw_series(model_named("AR 0.3"), 3, 20, 1, 5);
  const std::vector<Observation> longer = draw_series(model_named("AR 0.3"), 3, 20, 9, 5);
  for (std::size_t i = 0; i < shorter.size(); ++i) EXPECT_EQ(shorter[i].value, longer[i].value);
}

}  // namespace
}  // namespace fuselab
