// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/constraint_expression.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::int64_t evaluated(std::string_view text, std::vector<std::int64_t> values = {}) {
  const auto expression = ConstraintExpression::parse(text);
  if (!expression.ok()) {
    ADD_FAILURE() << expression.error().message;
    return -999;
  }
  const auto result = expression.value().evaluate(values);
  EXPECT_TRUE(result.ok()) << text;
  return result.ok() ? result.value() : -999;
}

std::string parse_error(std::string_view text) {
  const auto expression = ConstraintExpression::parse(text);
  EXPECT_FALSE(expression.ok()) << text;
  return expression.ok() ? "" : expression.error().message;
}

TEST(ConstraintExpression, BindsLikeC) {
  EXPECT_EQ(evaluated("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluated("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluated("10 - 4 - 3"), 3);
  EXPECT_EQ(evaluated("100 / 7 % 5"), 4);
  EXPECT_EQ(evaluated("-2 * -3"), 6);
  EXPECT_EQ(evaluated("1 + 1 == 2 && 3 < 4"), 1);
  EXPECT_EQ(evaluated("0 && 0 || 1"), 1);
  EXPECT_EQ(evaluated("1 || 0 && 0"), 1);
  EXPECT_EQ(evaluated("3 != 3"), 0);
  EXPECT_EQ(evaluated("4 >= 4 && 4 <= 4 && 5 > 4"), 1);
}

TEST(ConstraintExpression, ReadsNamesOnceInOrderOfUse) {
  const auto expression = ConstraintExpression::parse("tile_m * tile_n + tile_m <= limit");
  ASSERT_TRUE(expression.ok());
  EXPECT_THAT(expression.value().names(), ElementsAre("tile_m", "tile_n", "limit"));
  EXPECT_EQ(evaluated("a * b + a", {3, 5}), 18);
}

TEST(ConstraintExpression, ShortCircuitsGuardedDivision) {
  EXPECT_EQ(evaluated("a == 0 || 8 / a == 2", {0}), 1);
  EXPECT_EQ(evaluated("a != 0 && 8 / a == 2", {0}), 0);
}

TEST(ConstraintExpression, ReportsArithmeticThatHasNoAnswer) {
  const auto divided = ConstraintExpression::parse("1 / a").value().evaluate(std::vector<std::int64_t>{0});
  ASSERT_FALSE(divided.ok());
  EXPECT_EQ(divided.error().message, "division by zero");
  const auto squared = ConstraintExpression::parse("a * a").value().evaluate(std::vector<std::int64_t>{std::int64_t{1} << 40});
  ASSERT_FALSE(squared.ok());
  EXPECT_EQ(squared.error().message, "64-bit overflow");
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(ConstraintExpression::parse("a / b").value().evaluate(std::vector<std::int64_t>{lowest, -1}).ok());
}

TEST(ConstraintExpression, NamesTheColumnOfAMistake) {
  EXPECT_THAT(parse_error("a <= "), HasSubstr("column 6: expected a number, a parameter or '(', found the end"));
  EXPECT_THAT(parse_error("a $ b"), HasSubstr("column 3: expected an operator or the end, found '$'"));
  EXPECT_THAT(parse_error("(a + 1"), HasSubstr("column 7: expected ')', found the end"));
  EXPECT_THAT(parse_error("2x"), HasSubstr("column 2"));
  EXPECT_THAT(parse_error("99999999999999999999"), HasSubstr("does not fit 64 bits"));
}

TEST(ConstraintExpression, RefusesChainedComparisons) {
  EXPECT_THAT(parse_error("1 <= a <= 8"), HasSubstr("join two with &&"));
}

TEST(ConstraintExpression, SurvivesHostileText) {
  EXPECT_THAT(parse_error(std::string(1000, '(')), HasSubstr("nested deeper than 128 levels"));
  EXPECT_THAT(parse_error(std::string(1000, '-')), HasSubstr("nested deeper than 128 levels"));
  EXPECT_THAT(parse_error(std::string(10000, '1')), HasSubstr("4096"));
  std::string sum = "1";
  while (sum.size() < 4000) sum += "+1";
  EXPECT_EQ(evaluated(sum), static_cast<std::int64_t>((sum.size() + 1) / 2));
}

}  // namespace
}  // namespace fuselab
