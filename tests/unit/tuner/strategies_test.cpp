// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>

#include "tests/unit/tuner/spaces.h"
#include "tuner/strategies/search_strategy.h"

namespace fuselab::tuner {
namespace {

using testing::HasSubstr;

std::unique_ptr<SearchStrategy> made(std::string_view id, const ParameterSpace& space, const LaunchConfig& start,
                                     std::uint64_t seed = 1) {
  auto strategy = make_strategy(id, space, start, seed);
  EXPECT_TRUE(strategy.ok()) << strategy.error().message;
  return std::move(strategy).value();
}

// Everything asked, in order, when each cost is told at once; at most `limit`.
std::vector<LaunchConfig> asked_by(SearchStrategy& strategy, std::size_t batch, std::size_t limit, std::int64_t size = 8) {
  std::vector<LaunchConfig> all;
  while (all.size() < limit) {
    const auto asked = strategy.ask(std::min(batch, limit - all.size()));
    if (asked.empty()) break;
    EXPECT_LE(asked.size(), batch);
    std::vector<Observation> told;
    for (const auto& config : asked) told.push_back({config, test::small_cost(config, size)});
    strategy.tell(told);
    all.insert(all.end(), asked.begin(), asked.end());
  }
  return all;
}

class EveryStrategy : public testing::TestWithParam<std::string_view> {};

std::string strategy_name(const testing::TestParamInfo<std::string_view>& info) {
  std::string name;
  for (const char c : info.param) {
    if (c != '-') name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tuner, EveryStrategy, testing::Values("exhaustive", "random", "coordinate-descent", "evolutionary"),
                         strategy_name);

TEST_P(EveryStrategy, TriesTheStartFirst) {
  const auto strategy = made(GetParam(), test::small_space(), test::small_start());
  const auto asked = strategy->ask(1);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0], test::small_start());
}

TEST_P(EveryStrategy, TriesThePriorAfterTheStartAndNothingTwice) {
  const LaunchConfig near = {{"x", std::int64_t{4}}, {"y", std::int64_t{2}}, {"order", std::string("xy")}};
  const LaunchConfig far = {{"x", std::int64_t{7}}, {"y", std::int64_t{1}}, {"order", std::string("yx")}};
  const std::vector<LaunchConfig> prior = {near, test::small_start(), far, near};
  auto strategy = make_strategy(GetParam(), test::small_space(), test::small_start(), 1, prior);
  ASSERT_TRUE(strategy.ok()) << strategy.error().message;
  const auto all = asked_by(*strategy.value(), 2, 10000);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all[0], test::small_start());
  EXPECT_EQ(all[1], near);
  EXPECT_EQ(all[2], far);
  EXPECT_EQ(std::set<LaunchConfig>(all.begin(), all.end()).size(), all.size());
  EXPECT_EQ(all.size(), test::small_space().enumerate(10000).size());
}

TEST_P(EveryStrategy, RefusesAPriorThatIsNotInTheSpace) {
  const std::vector<LaunchConfig> prior = {{{"x", std::int64_t{70}}}};
  const auto strategy = make_strategy(GetParam(), test::small_space(), test::small_start(), 1, prior);
  ASSERT_FALSE(strategy.ok());
  EXPECT_THAT(strategy.error().message, HasSubstr("configuration of the prior"));
}

TEST_P(EveryStrategy, VisitsEveryValidPointOnceAndThenSaysSo) {
  const auto space = test::small_space();
  const auto strategy = made(GetParam(), space, test::small_start());
  EXPECT_FALSE(strategy->exhausted());
  const auto all = asked_by(*strategy, 4, 10000);
  const std::set<LaunchConfig> unique(all.begin(), all.end());
  EXPECT_EQ(unique.size(), all.size()) << "a configuration was asked twice";
  for (const auto& config : all) EXPECT_TRUE(space.check(config).ok()) << config.text();
  EXPECT_EQ(all.size(), space.enumerate(10000).size());
  EXPECT_TRUE(strategy->exhausted());
  EXPECT_TRUE(strategy->ask(4).empty());
}

TEST_P(EveryStrategy, AsksTheSameForTheSameSeedAndTells) {
  const auto first = made(GetParam(), test::small_space(), test::small_start(), 7);
  const auto second = made(GetParam(), test::small_space(), test::small_start(), 7);
  EXPECT_EQ(asked_by(*first, 3, 60), asked_by(*second, 3, 60));
}

TEST_P(EveryStrategy, SurvivesFailuresOfEverything) {
  const auto strategy = made(GetParam(), test::small_space(), test::small_start());
  std::size_t asked_in_all = 0;
  while (true) {
    const auto asked = strategy->ask(5);
    if (asked.empty()) break;
    std::vector<Observation> told;
    for (const auto& config : asked) told.push_back({config, std::nullopt});
    strategy->tell(told);
    asked_in_all += asked.size();
  }
  EXPECT_EQ(asked_in_all, test::small_space().enumerate(10000).size());
}

TEST_P(EveryStrategy, HandlesASpaceOfOnePoint) {
  ParameterSpace space;
  ASSERT_TRUE(space.add(Parameter{"x", "", {std::int64_t{3}}}).ok());
  const auto strategy = made(GetParam(), space, {{"x", std::int64_t{3}}});
  EXPECT_EQ(strategy->ask(4).size(), 1U);
  strategy->tell(std::vector<Observation>{{{{"x", std::int64_t{3}}}, 1.0}});
  EXPECT_TRUE(strategy->ask(4).empty());
}

TEST_P(EveryStrategy, HandlesASpaceWithoutParameters) {
  const auto strategy = made(GetParam(), ParameterSpace(), LaunchConfig());
  EXPECT_EQ(strategy->ask(4).size(), 1U);
  strategy->tell(std::vector<Observation>{{LaunchConfig(), 1.0}});
  EXPECT_TRUE(strategy->ask(4).empty());
  EXPECT_TRUE(strategy->exhausted());
}

TEST(Strategies, FindValidPointsInASpaceThatIsNearlyAllInvalid) {
  ParameterSpace space;
  for (const char name : std::string("abcdef")) {
    Parameter axis{std::string(1, name), "", {}};
    for (std::int64_t value = 0; value < 16; ++value) axis.values.emplace_back(value);
    ASSERT_TRUE(space.add(axis).ok());
  }
  for (const char name : std::string("bcdef")) ASSERT_TRUE(space.add(Constraint{std::string(1, name) + " == a", ""}).ok());
  LaunchConfig start;
  for (const char name : std::string("abcdef")) start.set(std::string(1, name), std::int64_t{5});
  for (const auto& info : strategies()) {
    EXPECT_EQ(asked_by(*made(info.id, space, start), 4, 1000).size(), 16U) << info.id;
  }
}

TEST(Strategies, DifferBySeed) {
  const auto first = made("random", test::small_space(), test::small_start(), 1);
  const auto second = made("random", test::small_space(), test::small_start(), 2);
  EXPECT_NE(asked_by(*first, 1, 30), asked_by(*second, 1, 30));
}

TEST(Strategies, WalkCoarseToFineAlongLongAxes) {
  constexpr std::int64_t kSize = 64;  // 6,000 valid points
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto strategy = made("coordinate-descent", test::small_space(kSize), test::small_start(), seed);
    const auto all = asked_by(*strategy, 4, 64, kSize);
    double best = 1e300;
    for (const auto& config : all) best = std::min(best, test::small_cost(config, kSize));
    EXPECT_LE(best, 120) << "seed " << seed;
  }
}

TEST(Strategies, AreListedForHelp) {
  ASSERT_EQ(strategies().size(), 4U);
  for (const auto& info : strategies()) {
    EXPECT_FALSE(info.summary.empty());
    EXPECT_EQ(made(info.id, test::small_space(), test::small_start())->id(), info.id);
  }
}

TEST(Strategies, RefuseWhatTheyCannotDo) {
  const auto unknown = make_strategy("bayesian", test::small_space(), test::small_start(), 1);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message,
            "unknown search strategy 'bayesian'; one of exhaustive, random, coordinate-descent, evolutionary");
  const auto outside = make_strategy("random", test::small_space(), LaunchConfig(), 1);
  ASSERT_FALSE(outside.ok());
  EXPECT_THAT(outside.error().message, HasSubstr("start configuration: 'x' has no value"));
}

}  // namespace
}  // namespace fuselab::tuner
