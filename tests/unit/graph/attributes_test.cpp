// SPDX-License-Identifier: Apache-2.0
#include "core/types/attributes.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

Attributes sample() {
  return {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5}, {"mode", std::string("tanh")}, {"axes", std::vector<std::int64_t>{0, 2}}};
}

TEST(Attributes, GiveTheirValues) {
  const Attributes attributes = sample();
  EXPECT_EQ(attributes.integer("axis", 7), -1);
  EXPECT_DOUBLE_EQ(attributes.real("epsilon", 0), 1e-5);
  EXPECT_EQ(attributes.text("mode", ""), "tanh");
  EXPECT_EQ(attributes.integers("axes"), (std::vector<std::int64_t>{0, 2}));
  EXPECT_TRUE(attributes.has("axis"));
}

TEST(Attributes, GiveTheDefaultWhereAbsentOrOfAnotherType) {
  const Attributes attributes = sample();
  EXPECT_FALSE(attributes.has("alpha"));
  EXPECT_EQ(attributes.integer("alpha", 7), 7);
  EXPECT_EQ(attributes.integer("epsilon", 7), 7);
  EXPECT_EQ(attributes.text("axis", "none"), "none");
  EXPECT_EQ(attributes.integers("axis", {1}), (std::vector<std::int64_t>{1}));
}

TEST(Attributes, AcceptIntegersAsReals) {
  EXPECT_DOUBLE_EQ(sample().real("axis", 0.5), -1.0);
}

TEST(Attributes, CompareByContent) {
  Attributes changed = sample();
  EXPECT_EQ(changed, sample());
  changed.set("axis", std::int64_t{0});
  EXPECT_NE(changed, sample());
}

}  // namespace
}  // namespace fuselab
