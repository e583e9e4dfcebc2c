// SPDX-License-Identifier: Apache-2.0
// Counters of an AMD GPU are collected through a stand-in library: passes as it refuses, values as the formulas say, and each
// trouble a reason.
#include "backends/rocm/rocprof/rocprof_counters.h"

#include <gmock/gmock.h>

#include <map>

#include "core/profile/vocabulary.h"
#include "tests/unit/rocprof/profiled_plan.h"

namespace fuselab::hip {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> device_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& info : metric_vocabulary()) {
    if (info.name.starts_with("device_")) names.emplace_back(info.name);
  }
  return names;
}

class RocprofCounters : public ProfiledPlan {
 protected:
  Result<std::unique_ptr<CounterCollector>> open(const char* trouble) {
    FL_TRY(std::shared_ptr<RocprofSession> session, attach(trouble));
    return open_rocprof_counters(std::move(session), "0000:c3:00.0", synchronize_);
  }
  // Every metric of the vocabulary, by name.
  std::map<std::string, Metric> counted(CounterCollector& counters) {
    std::map<std::string, Metric> metrics;
    const auto passes = counters.plan_passes(device_metrics());
    EXPECT_TRUE(passes.ok());
    if (!passes.ok()) return metrics;
    for (const Metric& metric : passes.value().refused) metrics[metric.name] = metric;
    for (const auto& pass : passes.value().passes) {
      const auto made = counters.collect_pass(pass, plan());
      EXPECT_TRUE(made.ok()) << made.error().message;
      if (!made.ok()) continue;
      for (const Metric& metric : made.value()) metrics[metric.name] = metric;
    }
    return metrics;
  }
};

TEST_F(RocprofCounters, TakeTwoPasses) {
  const auto counters = open("");
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  const auto passes = counters.value()->plan_passes(device_metrics());
  ASSERT_TRUE(passes.ok());
  ASSERT_EQ(passes.value().passes.size(), 2u);
  EXPECT_THAT(passes.value().passes[0], Contains("device_occupancy"));
  EXPECT_THAT(passes.value().passes[0], Not(Contains("device_memory_bytes"))) << "a half of it is counted in the second";
  EXPECT_THAT(passes.value().passes[1], Contains("device_memory_bytes"));
  const auto few = counters.value()->plan_passes(std::vector<std::string>{"device_waves"});
  ASSERT_EQ(few.value().passes.size(), 1u);
}

// The stand-in's counter of place n (from 1) has the values 100 n and 200 n in two parts of the device, in each of two kernels.
TEST_F(RocprofCounters, ValuesFollowFromSumsOverPartsAndKernels) {
  const auto counters = open("");
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  auto metrics = counted(*counters.value());
  EXPECT_EQ(kernel_.launches, 4) << "two passes of two launches";
  EXPECT_EQ(synchronized_, 2);
  EXPECT_EQ(metrics["device_time"].value, 4000.0) << "two kernels of 2 µs in the pass";
  EXPECT_EQ(metrics["device_waves"].value, 2 * 300.0 * 2);
  EXPECT_EQ(metrics["device_waves"].source, "rocprofiler-sdk: SQ_WAVES");
  // SQ_BUSY_CU_CYCLES is the third, GRBM_GUI_ACTIVE the first: of that, the largest part counts.
  EXPECT_DOUBLE_EQ(metrics["device_cycles"].value.value_or(0), 2 * 300.0 * 3 / 304);
  EXPECT_DOUBLE_EQ(metrics["device_active_share"].value.value_or(0), 2 * 300.0 * 3 / (2 * 200.0 * 304));
  EXPECT_EQ(metrics["device_active_share"].source, "rocprofiler-sdk: SQ_BUSY_CU_CYCLES / (GRBM_GUI_ACTIVE · compute units)");
  EXPECT_DOUBLE_EQ(metrics["device_occupancy"].value.value_or(0), 19.0 / 3 * 4 / 32);
  EXPECT_DOUBLE_EQ(metrics["device_wait_share"].value.value_or(0), 14.0 / 19);
  EXPECT_DOUBLE_EQ(metrics["device_shared_wait_share"].value.value_or(0), 15.0 / 19);
  EXPECT_DOUBLE_EQ(metrics["device_vector_active"].value.value_or(0), 21.0 / 3);
  EXPECT_DOUBLE_EQ(metrics["device_tensor_active"].value.value_or(0), 5.0 / 3 / 4);
  EXPECT_EQ(metrics["device_memory_read_bytes"].value, 1024 * 600.0 * 7) << "kilobytes";
  EXPECT_EQ(metrics["device_memory_bytes"].value, 1024 * 600.0 * (7 + 8)) << "of two passes";
  EXPECT_EQ(metrics["device_l2_hits"].value, 600.0 * 9);
  EXPECT_EQ(metrics["device_stall_wait"].reason, "rocprofiler-sdk has no such counter");
}

TEST_F(RocprofCounters, SmallerDevicesTakeMorePasses) {
  const auto counters = open("limit");
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  const auto passes = counters.value()->plan_passes(device_metrics());
  ASSERT_TRUE(passes.ok());
  EXPECT_GT(passes.value().passes.size(), 5u);
  EXPECT_EQ(counted(*counters.value())["device_l2_hits"].value, 600.0 * 9) << "the value is the same";
}

TEST_F(RocprofCounters, WhoMayNotCountIsToldWhatWouldPermitIt) {
  const auto denied = open("denied");
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(denied.error().message, HasSubstr("CAP_PERFMON"));
  EXPECT_THAT(denied.error().message, HasSubstr("(code 40)"));
  EXPECT_THAT(open("old").error().message, HasSubstr("update the driver (code 28)"));
  EXPECT_THAT(open("elsewhere").error().message, HasSubstr("sees no GPU at 0000:c3:00.0"));
  EXPECT_THAT(open("failing").error().message, HasSubstr("planning passes: the device has no room for more of it (code 29)"));
}

TEST_F(RocprofCounters, TroublesOfAPassAreItsReason) {
  const auto collected = [&](const char* trouble) {
    const auto counters = open("");
    variables_.set("FAKE_ROCPROFILER", trouble);
    const auto passes = counters.value()->plan_passes(device_metrics());
    return counters.value()->collect_pass(passes.value().passes.front(), plan());
  };
  EXPECT_THAT(collected("uncounted").error().message, HasSubstr("counted 0 of 2 kernels"));
  kernel_.fails = true;
  EXPECT_THAT(collected("").error().message, HasSubstr("the launch failed"));
  kernel_.fails = false;
  EXPECT_TRUE(collected("").ok()) << "again, in the same process";
  const auto blind = [&] {
    const auto counters = open("");
    kernel_.tell = nullptr;  // as where ROCm's runtime started before
    const auto passes = counters.value()->plan_passes(device_metrics());
    return counters.value()->collect_pass(passes.value().passes.front(), plan());
  };
  EXPECT_THAT(blind().error().message, HasSubstr("saw no kernel of this process"));
}

}  // namespace
}  // namespace fuselab::hip
