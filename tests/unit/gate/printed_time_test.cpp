// SPDX-License-Identifier: Apache-2.0
#include "app/gate/commands/printed_time.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

double time_of(std::string_view output) {
  const auto time = printed_time(output);
  EXPECT_TRUE(time.ok()) << time.error().message;
  return time.ok() ? time.value().count : 0;
}

TEST(PrintedTime, ReadsEveryUnit) {
  EXPECT_DOUBLE_EQ(time_of("fuselab: 1.5 ns"), 1.5);
  EXPECT_DOUBLE_EQ(time_of("fuselab: 2us\n"), 2e3);
  EXPECT_DOUBLE_EQ(time_of("warm-up done\n  fuselab: 1.234 µs\r\nbye"), 1234);
  EXPECT_DOUBLE_EQ(time_of("fuselab:3e-3 ms"), 3e3);
  EXPECT_DOUBLE_EQ(time_of("fuselab: 2 s"), 2e9);
}

TEST(PrintedTime, TakesTheMedianOfSeveralLines) {
  EXPECT_DOUBLE_EQ(time_of("fuselab: 1 ms\nfuselab: 9 ms\nfuselab: 2 ms\n"), 2e6);
}

TEST(PrintedTime, RefusesWhatIsNoTime) {
  for (const std::string_view line : {"fuselab: 0 ms", "fuselab: -1 ms", "fuselab: nan ms", "fuselab: inf s", "fuselab: 5",
                                      "fuselab: 5 min", "fuselab: fast", "fuselab:"}) {
    const auto time = printed_time(std::string("fuselab: 1 ms\n") + std::string(line));
    ASSERT_FALSE(time.ok()) << line;
    EXPECT_NE(time.error().message.find("'" + std::string(line) + "'"), std::string::npos) << time.error().message;
  }
  const auto none = printed_time("took 5 ms\n");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "it printed no line like `fuselab: 1.234 ms`; set time = \"whole\", or print one");
}

}  // namespace
}  // namespace fuselab::engine
