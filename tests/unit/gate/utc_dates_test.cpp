// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/utc_dates.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

constexpr const char* kNow = "2026-11-22T17:05:00Z";

TEST(UtcDates, AnExpiryIsADateOrDays) {
  EXPECT_EQ(expiry_of("2027-01-31", kNow).value(), "2027-01-31T00:00:00Z");
  EXPECT_EQ(expiry_of("90d", kNow).value(), "2027-02-20T17:05:00Z");
  EXPECT_EQ(expiry_of("90", kNow).value(), "2027-02-20T17:05:00Z");
  EXPECT_EQ(expiry_of("1", "2028-02-28T00:00:01Z").value(), "2028-02-29T00:00:01Z");
  EXPECT_LT(utc_now(), utc_now(1));
}

TEST(UtcDates, WhatIsNoExpirySaysWhy) {
  for (const char* wrong : {"", "d", "soon", "-3", "3 d", "2027-02-30", "2027-1-31", "2027/01/31", "2027-01-31T00", "1e3", "９"}) {
    const auto read = expiry_of(wrong, kNow);
    ASSERT_FALSE(read.ok()) << wrong;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(read.error().message.find("write a date (2027-01-31) or days (90d)"), std::string::npos) << read.error().message;
  }
  for (const char* over : {"2026-11-22", "2020-01-01", "0", "0d"})
    EXPECT_NE(expiry_of(over, kNow).error().message.find("is over already"), std::string::npos) << over;
  for (const char* far : {"2037-01-01", "3651", "999999999d"})
    EXPECT_NE(expiry_of(far, kNow).error().message.find("more than 3650 days ahead"), std::string::npos) << far;
}

TEST(UtcDates, MomentsAreSecondsApart) {
  EXPECT_EQ(seconds_between("2026-11-22T17:05:00Z", "2026-11-22T18:05:01Z"), 3601);
  EXPECT_EQ(seconds_between("2027-01-01T00:00:00Z", "2026-12-31T23:59:59Z"), -1);
  EXPECT_FALSE(seconds_between("2026-11-22", "2026-11-22T18:05:01Z"));
  EXPECT_FALSE(seconds_between("2026-11-22T17:05:00Z", ""));
}

TEST(UtcDates, AgesAreDaysOfTheCalendar) {
  EXPECT_EQ(age_text("2026-10-31T23:00:00Z", "2027-01-29T00:00:00Z", kNow), "22 days old, 68 days left");
  EXPECT_EQ(age_text("2026-11-21T23:00:00Z", "2026-11-23T00:00:00Z", kNow), "1 day old, 1 day left");
  EXPECT_EQ(age_text("2026-11-21T23:00:00Z", "", kNow), "1 day old");
  EXPECT_EQ(age_text("2026-11-21T23:00:00Z", "2026-11-22T00:00:00Z", kNow), "1 day old, expired");
  EXPECT_EQ(age_text("2026-12-24T00:00:00Z", "2027-01-01T00:00:00Z", kNow),
            "saved on 2026-12-24, after what this machine's clock says, 40 days left");
  EXPECT_EQ(age_text("once", "", kNow), "of an unknown day");
}

}  // namespace
}  // namespace fuselab::engine
