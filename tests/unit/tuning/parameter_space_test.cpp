// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/parameter_space.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::HasSubstr;

Parameter integers(std::string name, std::initializer_list<std::int64_t> values) {
  Parameter parameter{std::move(name), "", {}};
  for (const auto value : values) parameter.values.emplace_back(value);
  return parameter;
}

Parameter words(std::string name, std::initializer_list<std::string> values) {
  Parameter parameter{std::move(name), "", {}};
  for (const auto& value : values) parameter.values.emplace_back(value);
  return parameter;
}

ParameterSpace tiles() {
  ParameterSpace space;
  EXPECT_TRUE(space.add(integers("tile_m", {8, 16, 32})).ok());
  EXPECT_TRUE(space.add(integers("tile_n", {8, 16, 32})).ok());
  EXPECT_TRUE(space.add(words("order", {"mn", "nm"})).ok());
  EXPECT_TRUE(space.add(Constraint{"tile_m * tile_n <= 256", "the tile must fit L1"}).ok());
  return space;
}

TEST(ParameterSpace, RejectsAnAxisThatCouldNotBeWrittenAsText) {
  ParameterSpace space;
  EXPECT_THAT(space.add(integers("a", {})).error().message, HasSubstr("has no values"));
  EXPECT_THAT(space.add(integers("a b", {1})).error().message, HasSubstr("not an identifier"));
  EXPECT_THAT(space.add(integers("a", {1, 2, 1})).error().message, HasSubstr("lists 1 twice"));
  EXPECT_THAT(space.add(words("a", {"x=y"})).error().message, HasSubstr("not a word"));
  EXPECT_THAT(space.add(words("a", {"12"})).error().message, HasSubstr("not a word"));
  EXPECT_THAT(space.add(Parameter{"a", "", {std::int64_t{1}, std::string("x")}}).error().message, HasSubstr("mixes"));
  ASSERT_TRUE(space.add(integers("a", {1})).ok());
  EXPECT_THAT(space.add(integers("a", {2})).error().message, HasSubstr("is there already"));
}

TEST(ParameterSpace, RejectsConstraintsItCannotEvaluate) {
  auto space = tiles();
  EXPECT_THAT(space.add(Constraint{"tile_k > 1", ""}).error().message, HasSubstr("names 'tile_k', which is no parameter"));
  EXPECT_THAT(space.add(Constraint{"order > 1", ""}).error().message, HasSubstr("whose values are words"));
  EXPECT_THAT(space.add(Constraint{"1 < 2", ""}).error().message, HasSubstr("names no parameter"));
  EXPECT_THAT(space.add(Constraint{"tile_m <", ""}).error().message, HasSubstr("column"));
  EXPECT_EQ(space.constraints().size(), 1U);
}

TEST(ParameterSpace, EnumeratesExactlyTheValidOnesInLexicographicOrder) {
  const auto space = tiles();
  EXPECT_EQ(space.cartesian_size(), 18);
  const auto all = space.enumerate(1000);
  ASSERT_EQ(all.size(), 12U);  // 6 of 9 tiles, two orders
  EXPECT_EQ(all.front().text(), "order=mn,tile_m=8,tile_n=8");
  EXPECT_EQ(all.back().text(), "order=nm,tile_m=32,tile_n=8");
  for (const auto& config : all) EXPECT_TRUE(space.check(config).ok()) << config.text();
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_LT(*space.positions_of(all[i - 1]), *space.positions_of(all[i]));
  }
  EXPECT_EQ(space.enumerate(5).size(), 5U);
  EXPECT_TRUE(space.enumerate(0).empty());
}

TEST(ParameterSpace, PrunesInsteadOfWalkingTheProduct) {
  ParameterSpace space;  // 10^12 points, ten of them valid
  for (const char name : std::string("abcdefghijkl")) {
    ASSERT_TRUE(space.add(integers(std::string(1, name), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})).ok());
    if (name == 'a') continue;
    ASSERT_TRUE(space.add(Constraint{std::string(1, name) + " == a", ""}).ok());
  }
  EXPECT_EQ(space.cartesian_size(), 1'000'000'000'000);
  EXPECT_EQ(space.enumerate(1000).size(), 10U);
}

TEST(ParameterSpace, SaturatesItsSize) {
  ParameterSpace space;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(space.add(integers("p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})).ok());
  }
  EXPECT_EQ(space.cartesian_size(), std::int64_t{1} << 62);
}

TEST(ParameterSpace, SaysWhyAConfigurationIsNotValid) {
  const auto space = tiles();
  LaunchConfig config = {{"tile_m", std::int64_t{32}}, {"tile_n", std::int64_t{32}}, {"order", std::string("mn")}};
  EXPECT_EQ(space.check(config).error().message, "tile_m=32, tile_n=32 violates tile_m * tile_n <= 256: the tile must fit L1");
  config.set("tile_n", std::int64_t{7});
  EXPECT_EQ(space.check(config).error().message, "tile_n=7 is not one of 8, 16, 32");
  EXPECT_EQ(space.check({}).error().message, "'tile_m' has no value; one of 8, 16, 32");
  config.set("tile_n", std::int64_t{8});
  config.set("stages", std::int64_t{2});
  EXPECT_EQ(space.check(config).error().message, "'stages' is no parameter of this space");
}

TEST(ParameterSpace, TreatsUndefinedArithmeticAsAViolation) {
  ParameterSpace space;
  ASSERT_TRUE(space.add(integers("a", {0, 1, 2})).ok());
  ASSERT_TRUE(space.add(Constraint{"2 / a == 1", ""}).ok());
  ASSERT_EQ(space.enumerate(10).size(), 1U);
  EXPECT_THAT(space.check({{"a", std::int64_t{0}}}).error().message, HasSubstr("division by zero"));
}

TEST(ParameterSpace, ConvertsBetweenPositionsAndConfigurations) {
  const auto space = tiles();
  const auto config = space.at({1, 2, 0});
  EXPECT_EQ(config.text(), "order=mn,tile_m=16,tile_n=32");
  EXPECT_EQ(space.positions_of(config), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(space.positions_of({{"tile_m", std::int64_t{16}}}), std::nullopt);
  EXPECT_TRUE(space.holds_at({0, 0, 0}));
  EXPECT_FALSE(space.holds_at({2, 2, 0}));
}

TEST(ParameterSpace, OfNoParametersHasOneConfiguration) {
  const ParameterSpace space;
  EXPECT_EQ(space.cartesian_size(), 1);
  EXPECT_EQ(space.enumerate(10).size(), 1U);
  EXPECT_TRUE(space.check({}).ok());
}

}  // namespace
}  // namespace fuselab
