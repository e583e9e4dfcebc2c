// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace fuselab {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return invalid_argument(std::to_string(number) + " is odd");
  return number / 2;
}

Result<int> quarter(int number) {
  FL_TRY(const int once, half(number));
  FL_TRY(const int twice, half(once));
  return twice;
}

Status check_even(int number) {
  FL_TRY_VOID(half(number).ok() ? Status() : Status(invalid_argument("odd")));
  return Status();
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(half(4).value(), 2);
  const auto odd = half(3);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(odd.error().message, "3 is odd");
}

TEST(Result, TryHandsOnTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(7).error().message, "7 is odd");
}

TEST(Result, TryVoidHandsOnTheErrorOfAStatus) {
  EXPECT_TRUE(check_even(2).ok());
  EXPECT_EQ(check_even(1).error().message, "odd");
}

TEST(Result, CarriesValuesThatOnlyMove) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
  const auto take = [&]() -> Result<int> {
    FL_TRY(const std::unique_ptr<int> number, make());
    return *number;
  };
  EXPECT_EQ(take().value(), 5);
}

TEST(Result, ErrorsGainContext) {
  const Error error = Error{ErrorCode::kIo, "disk full"}.within("results.db");
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_EQ(error.message, "results.db: disk full");
}

TEST(Result, EveryErrorCodeHasItsOwnName) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(ErrorCode::kInternal);
  for (int code = 0; code <= last; ++code) names.insert(name_of(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(names.count(""), 0U);
}

TEST(ResultDeathTest, ReadingTheMissingSideIsAProgrammersError) {
  EXPECT_DEATH((void)half(3).value(), "ok\\(\\)");
  EXPECT_DEATH((void)half(4).error(), "ok\\(\\)");
}

}  // namespace
}  // namespace fuselab
