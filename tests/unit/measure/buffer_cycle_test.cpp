// SPDX-License-Identifier: Apache-2.0
#include "core/measure/buffer_cycle.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Bytes kCaches{std::int64_t{32} << 20};

int sets_for(std::int64_t touched) {
  const auto cycle = BufferCycle::beyond({touched}, kCaches);
  return cycle.ok() ? cycle.value().sets() : 0;
}

TEST(BufferCycle, HasSetsForTwiceTheLastCache) {
  EXPECT_EQ(sets_for(1 << 20), 64);
  EXPECT_EQ(sets_for((1 << 20) - 1), 65) << "rounded up";
  EXPECT_EQ(sets_for(12 << 20), 6);
  EXPECT_EQ(sets_for(64 << 10), 1024);
}

TEST(BufferCycle, HasTwoSetsOfWhatExceedsTheCacheByItself) {
  EXPECT_EQ(sets_for(64 << 20), 2);
  EXPECT_EQ(sets_for(std::int64_t{8} << 30), 2);
}

TEST(BufferCycle, IsRefusedWhereItWouldBeWarm) {
  for (const std::int64_t touched : {(64 << 10) - 1, 256, 1, 0}) EXPECT_EQ(sets_for(touched), 0) << touched;
  const Error small = BufferCycle::beyond({4 << 10}, kCaches).error();
  EXPECT_EQ(small.code, ErrorCode::kUnsupported);
  EXPECT_EQ(small.message,
            "a run has 4.00 KiB of operands: even 1024 sets of buffers would stay below 64.0 MiB, twice the last cache, so "
            "rotating timings "
            "would be warm; cold ones are not");
  const Error unknown = BufferCycle::beyond({1 << 20}, {0}).error();
  EXPECT_EQ(unknown.code, ErrorCode::kUnsupported);
  EXPECT_THAT(unknown.message, HasSubstr("not known"));
}

Cost moving(std::int64_t read, std::int64_t written) {
  Cost cost;
  cost.read = {read};
  cost.written = {written};
  return cost;
}

// Results may be written past the caches: then the operands of all sets have them to themselves.
TEST(BufferCycle, CountsWhatIsReadUnlessHardlyAnythingIs) {
  EXPECT_EQ(rotated_bytes(moving(8 << 20, 8 << 20)), Bytes{8 << 20});
  EXPECT_EQ(rotated_bytes(moving(1 << 20, 4 << 20)), Bytes{1 << 20});
  EXPECT_EQ(rotated_bytes(moving(1024, 1 << 20)), Bytes{(1 << 20) + 1024});
  EXPECT_EQ(rotated_bytes(moving(0, 1 << 20)), Bytes{1 << 20});
}

TEST(BufferCycle, TimesEachSetAtMostOnceOrWholeTurns) {
  const BufferCycle cycle(6);
  std::vector<int> fitting;
  for (const int runs : {1, 5, 6, 7, 12, 13}) fitting.push_back(cycle.fitting(runs));
  EXPECT_THAT(fitting, ElementsAre(1, 5, 6, 12, 12, 18));
  EXPECT_EQ(BufferCycle().fitting(1'000'000), 1'000'000) << "one set: nothing rotates";
}

// Between two uses of a set lie all the others, whoever used them.
TEST(BufferCycle, GoesOnWhereTheLastRunsEnded) {
  BufferCycle cycle(6);
  std::vector<int> first;
  for (const int runs : {4, 4, 6, 12, 1, 5}) first.push_back(cycle.take(runs));
  EXPECT_THAT(first, ElementsAre(0, 4, 2, 2, 2, 3));
  EXPECT_EQ(cycle.take(1), 2);
}

}  // namespace
}  // namespace fuselab
