// SPDX-License-Identifier: Apache-2.0
#include "core/measure/cold_state.h"

#include <gmock/gmock.h>

#include <vector>

namespace fuselab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A line that lay in a cache for `warm` of its way to memory.
std::vector<ColdRead> reads(double warm, int count = 9) {
  std::vector<ColdRead> reads;
  for (int i = 0; i < count; ++i) {
    const double memory = 80 + 5.0 * i;  // neighbours use it, too
    reads.push_back({memory, 4, memory - warm * (memory - 4)});
  }
  return reads;
}

PlanResult timed() {
  PlanResult result;
  result.outcome = Outcome::kTimed;
  result.samples = {1, 2, 3};
  result.verification.detail = "also tried with large, special and denormal inputs";
  return result;
}

TEST(ColdState, WhatComesFromMemoryIsCold) {
  const ColdState state = judge_cold(reads(0));
  EXPECT_EQ(state.kind, ColdState::Kind::kCold);
  EXPECT_EQ(state.text,
            "cold: after emptying the caches a marked line took 100 ns, from memory 100 ns, from the caches 4 ns; medians of 9");
  EXPECT_EQ(judge_cold(reads(-0.6)).kind, ColdState::Kind::kCold) << "dirty lines go to memory first";
  EXPECT_EQ(judge_cold(reads(0.2)).kind, ColdState::Kind::kCold);
}

TEST(ColdState, WhatACacheStillHeldIsNot) {
  for (const double share : {0.3, 0.8, 1.0}) EXPECT_EQ(judge_cold(reads(share)).kind, ColdState::Kind::kWarm) << share;
  EXPECT_THAT(judge_cold(reads(0.8)).text,
              StartsWith("not cold: emptying the caches left 80 % of what was marked in the caches (a line then took 23.2 ns, "));
}

TEST(ColdState, SaysWhatShouldHaveEmptiedThem) {
  EXPECT_THAT(judge_cold(reads(1), "a turn of the buffers").text, StartsWith("not cold: a turn of the buffers left 100 % of "));
}

// An interruption is as long as many reads; one emptying that did nothing is no block of them.
TEST(ColdState, FewReadsOfManyDecideNothing) {
  std::vector<ColdRead> mixed = reads(0);
  mixed[0].after = mixed[1].after = mixed[2].after = 4;
  EXPECT_EQ(judge_cold(mixed).kind, ColdState::Kind::kCold);
  mixed = reads(1);
  mixed[0].after = mixed[1].after = mixed[2].after = 1e6;
  EXPECT_EQ(judge_cold(mixed).kind, ColdState::Kind::kWarm);
}

TEST(ColdState, WhereReadsTellNothingItIsUnverified) {
  EXPECT_EQ(judge_cold({}).kind, ColdState::Kind::kUnverified);
  EXPECT_EQ(judge_cold({}).text, "cold, unverified: no caches were emptied");
  const std::vector<ColdRead> alike = {{5, 4, 4}, {5, 4, 5}, {6, 4, 4}};
  EXPECT_EQ(judge_cold(alike).kind, ColdState::Kind::kUnverified);
  EXPECT_THAT(judge_cold(alike).text, HasSubstr("a line of memory is read as fast as one of the caches here"));
}

TEST(ColdState, NoSampleIsKeptOfABlockThatWasNotCold) {
  PlanResult result = timed();
  note_cold(result, judge_cold(reads(1)));
  EXPECT_EQ(result.outcome, Outcome::kSkipped);
  EXPECT_TRUE(result.samples.empty());
  EXPECT_THAT(result.reason, StartsWith("not cold: "));

  PlanResult failed;
  failed.outcome = Outcome::kLaunchError;
  failed.reason = "as it was";
  note_cold(failed, judge_cold(reads(1)));
  EXPECT_EQ(failed.outcome, Outcome::kLaunchError);
  EXPECT_EQ(failed.reason, "as it was");
}

TEST(ColdState, WhatWasSeenIsSaidWhereItWasVerified) {
  PlanResult verified = timed(), unverified = timed();
  note_cold(verified, judge_cold(reads(0)));
  note_cold(unverified, cold_unverified("nobody looked"));
  EXPECT_EQ(verified.samples.size(), 3U);
  EXPECT_THAT(verified.verification.detail, HasSubstr("denormal inputs; cold: after emptying the caches a marked line took "));
  EXPECT_EQ(why_unverified(verified), "");
  EXPECT_EQ(unverified.outcome, Outcome::kTimed);
  EXPECT_EQ(unverified.verification.detail, "also tried with large, special and denormal inputs; cold, unverified: nobody looked");
  EXPECT_EQ(why_unverified(unverified), "unverified: nobody looked");
}

}  // namespace
}  // namespace fuselab
