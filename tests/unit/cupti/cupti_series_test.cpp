// SPDX-License-Identifier: Apache-2.0
// Counters over time are sampled through a stand-in library.
#include <gmock/gmock.h>

#include "tests/unit/cupti/recorded_plan.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

class CuptiSeriesOfPlan : public RecordedPlan {
 protected:
  Result<DeviceSeries> sampled(const char* trouble, double run_ns = 4e6) {
    const auto tracer = open();
    tell(trouble);
    return tracer->sample_counters(plan(), run_ns);
  }
};

TEST_F(CuptiSeriesOfPlan, OnePassIsSampledOverTheTimeOfARun) {
  const auto made = sampled("");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const DeviceSeries& series = made.value();
  EXPECT_EQ(said(), "enable configure start stop decode disable");
  EXPECT_EQ(number("fake_cupti_series"), 0);
  EXPECT_EQ(series.profiler, "CUPTI 13.0.1, PM sampling");
  EXPECT_EQ(series.runs, 1);
  EXPECT_EQ(kernel_.launches, 2);
  EXPECT_EQ(series.interval_ns, 20'000) << "two hundred of a run";
  EXPECT_EQ(number<std::uint64_t>("fake_cupti_interval"), 20'000u);
  ASSERT_EQ(series.starts_ns.size(), 10u);
  EXPECT_EQ(series.starts_ns.front(), 0);
  EXPECT_EQ(series.starts_ns.back(), 9000);
  ASSERT_EQ(series.rows.size(), 5u) << "as many as the stand-in counts in one pass";
  EXPECT_EQ(series.rows[0].name, "device_cycles") << "the time of a whole launch is no series";
  EXPECT_EQ(series.rows[0].source, "CUPTI: sm__cycles_active.avg");
  EXPECT_EQ(series.rows[0].values.front(), 100);
  EXPECT_EQ(series.rows[0].values.back(), 109);
  EXPECT_DOUBLE_EQ(series.rows[1].values.front(), 1.01) << "percent, as a ratio";
  EXPECT_FALSE(series.overflowed);
}

TEST_F(CuptiSeriesOfPlan, AShortPlanRunsSeveralTimes) {
  const auto made = sampled("", 10'000);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().runs, 25);
  EXPECT_EQ(kernel_.launches, 50);
  EXPECT_EQ(made.value().interval_ns, 5000) << "no shorter interval is asked for";
}

TEST_F(CuptiSeriesOfPlan, TroublesAreReasons) {
  EXPECT_THAT(sampled("denied").error().message, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(sampled("busy").error().message, HasSubstr("another process counts on this device"));
  const auto lost = sampled("lost");
  ASSERT_TRUE(lost.ok());
  EXPECT_TRUE(lost.value().overflowed);
  const auto divided = sampled("divided");
  ASSERT_TRUE(divided.ok());
  EXPECT_TRUE(divided.value().rows[0].values.empty());
  EXPECT_THAT(divided.value().rows[0].reason, HasSubstr("MIG"));
  const auto gap = sampled("gap");
  ASSERT_TRUE(gap.ok());
  EXPECT_EQ(gap.value().rows[0].values.size(), 10u) << "one interval without a value takes no other along";
  EXPECT_EQ(gap.value().rows[0].values[2], 102);
  EXPECT_EQ(gap.value().rows[0].values[3], 0) << "nothing worked there";
  EXPECT_EQ(gap.value().rows[0].reason, "");
  const auto none = sampled("short");
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(none.value().why_not, HasSubstr("shorter than an interval of 20000 ns"));
  kernel_.fails = true;
  EXPECT_THAT(sampled("").error().message, HasSubstr("the launch failed"));
  EXPECT_EQ(number("fake_cupti_series"), 0);
}

}  // namespace
}  // namespace fuselab::cuda
