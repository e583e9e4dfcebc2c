// SPDX-License-Identifier: Apache-2.0
// Counters of a device are collected through a stand-in library, and each of its troubles is a reason.
#include "backends/cuda/cupti/cupti_counters.h"

#include <gmock/gmock.h>

#include <map>

#include "core/profile/nvidia_counters.h"
#include "tests/unit/cupti/recorded_plan.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

class CuptiCounters : public RecordedPlan {
 protected:
  Result<std::unique_ptr<CounterCollector>> open(const char* file = FAKE_CUPTI_GOOD) {
    return open_cupti_counters(loading::Surroundings{file, {}}, this, 0, synchronize_);
  }
  int ranges() { return number("fake_cupti_ranges"); }

  // Collects the first pass while the library has this trouble.
  Result<std::vector<Metric>> collected(const char* trouble) {
    auto counters = open();
    if (!counters.ok()) return counters.error();
    const auto passes = counters.value()->plan_passes(metrics_);
    if (!passes.ok()) return passes.error();
    tell(trouble);
    return counters.value()->collect_pass(passes.value().passes.front(), plan());
  }

  std::vector<std::string> metrics_ = {"device_time", "device_occupancy", "device_stall_wait", "device_energy",
                                       "device_memory_bytes"};
};

TEST_F(CuptiCounters, PlansWhatIsAskedAndSaysWhatIsNotCounted) {
  const auto counters = open();
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  const auto passes = counters.value()->plan_passes(metrics_);
  ASSERT_TRUE(passes.ok());
  ASSERT_EQ(passes.value().passes.size(), 1u);
  EXPECT_THAT(passes.value().passes[0], testing::ElementsAre("device_time", "device_occupancy"));
  std::map<std::string, std::string> reasons;
  for (const Metric& metric : passes.value().refused) reasons[metric.name] = metric.reason;
  EXPECT_EQ(reasons["device_stall_wait"], "FAKE1: this chip has no such counter");
  EXPECT_EQ(reasons["device_memory_bytes"], "FAKE1: it takes 2 launches by itself");
  EXPECT_EQ(reasons["device_energy"], "CUPTI has no such counter");
}

TEST_F(CuptiCounters, CountOneRunInOneRange) {
  const auto metrics = collected("");
  ASSERT_TRUE(metrics.ok()) << metrics.error().message;
  EXPECT_EQ(said(), "enable configure start push pop stop decode disable");
  EXPECT_EQ(kernel_.launches, 2);
  EXPECT_EQ(synchronized_, 1);
  EXPECT_EQ(ranges(), 0) << "nothing later is counted";
  ASSERT_EQ(metrics.value().size(), 2u);
  EXPECT_EQ(metrics.value()[0].value, 100.0);
  EXPECT_EQ(metrics.value()[0].source, "CUPTI: gpu__time_duration.sum");
  EXPECT_DOUBLE_EQ(metrics.value()[1].value.value_or(0), 1.01) << "101 percent, as a ratio";
}

TEST_F(CuptiCounters, TroublesAreReasons) {
  EXPECT_THAT(collected("busy").error().message, HasSubstr("another process counts on this device (code 26)"));
  EXPECT_THAT(collected("undone").error().message, HasSubstr("wants more launches"));
  EXPECT_THAT(collected("dropped").error().message, HasSubstr("dropped the range"));
  const auto divided = collected("divided");
  ASSERT_TRUE(divided.ok());
  EXPECT_FALSE(divided.value()[0].value.has_value());
  EXPECT_THAT(divided.value()[0].reason, HasSubstr("MIG"));
  EXPECT_EQ(ranges(), 0);
}

TEST_F(CuptiCounters, WhoMayNotCountIsToldWhatWouldPermitIt) {
  test::Variables variables;
  variables.set("FAKE_CUPTI", "denied");
  const auto denied = open();
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(denied.error().message, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(open("/nonexistent/libcupti.so").error().message, HasSubstr("/nonexistent/libcupti.so"));
}

TEST_F(CuptiCounters, AFailedLaunchEndsTheRange) {
  kernel_.fails = true;
  EXPECT_THAT(collected("").error().message, HasSubstr("the launch failed"));
  EXPECT_EQ(said(), "enable configure start push pop stop disable");
  EXPECT_EQ(ranges(), 0);
}

}  // namespace
}  // namespace fuselab::cuda
