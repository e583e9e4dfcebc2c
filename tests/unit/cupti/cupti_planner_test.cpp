// SPDX-License-Identifier: Apache-2.0
// Counters are planned by a stand-in library, and the shipped plans are those of the real one where it is found.
#include "backends/cuda/cupti/cupti_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/kernel/virtual_target.h"
#include "core/profile/vocabulary.h"
#include "tests/support/recorded_text.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;

Result<CuptiLibrary> open(const char* file) {
  return CuptiLibrary::open(loading::Surroundings{file, {}});
}

TEST(CuptiPlanner, PacksPassesOfOneLaunch) {
  const auto library = open(FAKE_CUPTI_GOOD);
  ASSERT_TRUE(library.ok()) << library.error().message;
  const auto made = plan_of(library.value(), "FAKE1");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const NvidiaPlan& plan = made.value();
  std::size_t counted = 0;
  for (const auto& pass : plan.passes) {
    EXPECT_LE(pass.size(), 5u);
    counted += pass.size();
  }
  EXPECT_EQ(counted + plan.refused.size(), nvidia_counters().size());
  EXPECT_EQ(plan.passes.size(), (counted + 4) / 5) << "each pass is full before the next one begins";
  const auto shared = loading::open_library(FAKE_CUPTI_GOOD);
  EXPECT_EQ(reinterpret_cast<int (*)()>(shared.symbol("fake_cupti_alive"))(), 0) << "each of the library's objects is given back";
  EXPECT_EQ(plan.passes[0][0].first, "device_time");
  EXPECT_EQ(plan.passes[0][0].second, "gpu__time_duration.sum");
  EXPECT_THAT(plan.refused, testing::Contains(NvidiaPlan::Named("device_memory_bytes", "it takes 2 launches by itself")));
  EXPECT_THAT(plan.refused, testing::Contains(NvidiaPlan::Named("device_stall_wait", "this chip has no such counter")));
  EXPECT_EQ(plan.series.size(), 5u) << "what one pass has room for";
}

TEST(CuptiPlanner, SaysWhyThereIsNoPlan) {
  const auto library = open(FAKE_CUPTI_GOOD);
  ASSERT_TRUE(library.ok());
  const auto unopened = plan_of(library.value(), "FAKE2");
  ASSERT_FALSE(unopened.ok());
  EXPECT_THAT(unopened.error().message, HasSubstr("does not open the chip FAKE2"));
  EXPECT_THAT(open(FAKE_CUPTI_DRIVERLESS).error().message, HasSubstr("without a GPU's driver (code 999)"));
  EXPECT_THAT(open(FAKE_CUPTI_PARTIAL).error().message, HasSubstr("cuptiProfilerHostGetNumOfPasses"));
  EXPECT_EQ(open("/nonexistent/libcupti.so").error().code, ErrorCode::kUnavailable);
}

TEST(NvidiaPlans, EveryMetricIsPlannedOnceOrRefused) {
  EXPECT_EQ(nvidia_plans().size(), 29u);
  for (const NvidiaPlan& plan : nvidia_plans()) {
    std::set<std::string> met;
    for (const auto& pass : plan.passes) {
      for (const auto& [metric, name] : pass) EXPECT_TRUE(met.insert(metric).second) << plan.chip << " " << metric;
    }
    for (const auto& [metric, why] : plan.refused) EXPECT_TRUE(met.insert(metric).second) << plan.chip << " " << metric;
    EXPECT_EQ(met.size(), nvidia_counters().size()) << plan.chip;
    for (const auto& [metric, name] : plan.series) EXPECT_TRUE(met.contains(metric)) << plan.chip << " " << metric;
    EXPECT_EQ(plan.series.size() > 5, plan.chip != "GV100") << plan.chip << ": Volta alone samples no counters over time";
    for (const std::string& metric : met) EXPECT_NE(find_metric(metric), nullptr) << metric;
  }
}

TEST(NvidiaPlans, EveryTargetHasAChip) {
  for (const std::string& target : virtual_target_ids()) {
    if (!target.starts_with("sm_")) continue;
    EXPECT_NE(find_nvidia_plan(nvidia_chip_of(target)), nullptr) << target;
  }
  EXPECT_EQ(nvidia_chip_of("gfx942"), "");
  EXPECT_EQ(find_nvidia_plan("G80"), nullptr);
}

TEST(NvidiaPlans, TextComesBack) {
  const auto read = read_nvidia_plans(nvidia_plans_text(nvidia_plans()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value(), nvidia_plans());
  for (const char* const wrong : {"GH100", "GH100 pass", "GH100 passes a=b", "GH100 pass a", " pass a=b"}) {
    EXPECT_EQ(read_nvidia_plans(wrong).error().code, ErrorCode::kCorrupt) << wrong;
  }
}

// FUSELAB_UPDATE_GOLDENS=1 writes the shipped file anew.
TEST(NvidiaPlans, AreThoseOfTheRealLibrary) {
  const auto library = CuptiLibrary::open(loading::real_surroundings("CUPTI"));
  if (!library.ok()) GTEST_SKIP() << library.error().message;
  constexpr std::uint32_t kRecorded = 130001;
  if (library.value().version() != kRecorded)
    GTEST_SKIP() << "CUPTI " << library.value().version() << " plans otherwise than the recorded " << kRecorded;
  auto chips = chips_of(library.value());
  ASSERT_TRUE(chips.ok());
  std::ranges::sort(chips.value());
  std::vector<NvidiaPlan> plans;
  for (const std::string& chip : chips.value()) {
    if (auto plan = plan_of(library.value(), chip); plan.ok()) plans.push_back(std::move(plan).value());
  }
  test::expect_as_recorded(
      FUSELAB_NVIDIA_PLANS,
      "# Made by tests/unit/cupti from CUPTI 13.0.1 without a GPU: the passes of one launch that all metrics take.\n" +
          nvidia_plans_text(plans));
}

}  // namespace
}  // namespace fuselab::cuda
