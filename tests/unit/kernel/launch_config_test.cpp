// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/launch_config.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::HasSubstr;

TEST(LaunchConfig, TextListsParametersByName) {
  const LaunchConfig config = {{"vector", std::int64_t{8}}, {"threads", std::int64_t{2}}, {"order", std::string("ijk")}};
  EXPECT_EQ(config.text(), "order=ijk,threads=2,vector=8");
}

TEST(LaunchConfig, ReadsItsOwnTextBack) {
  const LaunchConfig config = {{"tile_n", std::int64_t{-64}}, {"store", std::string("non-temporal")}, {"unroll", std::int64_t{4}}};
  const auto parsed = LaunchConfig::parse(config.text());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value(), config);
}

TEST(LaunchConfig, EmptyTextIsNoParameters) {
  const auto parsed = LaunchConfig::parse(" ");
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed.value().values().empty());
  EXPECT_EQ(parsed.value().text(), "");
}

TEST(LaunchConfig, OrderOfTheTextDoesNotMatter) {
  const auto a = LaunchConfig::parse("b=2, a=1");
  const auto b = LaunchConfig::parse("a=1,b=2");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a.value(), b.value());
}

TEST(LaunchConfig, TellsNumbersFromChoices) {
  const auto config = LaunchConfig::parse("threads=2,order=ijk").value();
  EXPECT_EQ(config.integer("threads", 1), 2);
  EXPECT_EQ(config.integer("order", 7), 7);
  EXPECT_EQ(config.integer("absent", 5), 5);
  EXPECT_EQ(config.choice("order", "x"), "ijk");
  EXPECT_EQ(config.choice("threads", "x"), "x");
  EXPECT_TRUE(config.has("order"));
  EXPECT_FALSE(config.has("absent"));
}

TEST(LaunchConfig, RefusesWhatItCannotRead) {
  EXPECT_THAT(LaunchConfig::parse("threads").error().message, HasSubstr("name=value"));
  EXPECT_THAT(LaunchConfig::parse("a=1,a=2").error().message, HasSubstr("twice"));
  EXPECT_THAT(LaunchConfig::parse("a=1,").error().message, HasSubstr("comma"));
  EXPECT_THAT(LaunchConfig::parse("a b=1").error().message, HasSubstr("no parameter name"));
  EXPECT_THAT(LaunchConfig::parse("a=").error().message, HasSubstr("no value"));
  EXPECT_THAT(LaunchConfig::parse("a=99999999999999999999").error().message, HasSubstr("64 bits"));
}

}  // namespace
}  // namespace fuselab
