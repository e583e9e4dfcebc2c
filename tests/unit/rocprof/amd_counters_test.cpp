// SPDX-License-Identifier: Apache-2.0
// What each architecture of AMD's counts, and in how many passes without a device.
#include "core/profile/amd_counters.h"

#include <gmock/gmock.h>

#include <set>

#include "app/engine/profile/profile_price.h"
#include "core/profile/vocabulary.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};

TEST(AmdCounters, AllAreOfTheVocabularyAndPlannedOnceInTwoPasses) {
  for (const char* const target : kTargets) {
    const auto plan = amd_plan_without_device(target);
    ASSERT_TRUE(plan) << target;
    EXPECT_EQ(plan->passes.size(), 2u) << target;
    EXPECT_TRUE(plan->metrics.refused.empty()) << target;
    std::set<std::string> planned;
    for (const auto& pass : plan->metrics.passes) {
      for (const auto& [metric, counter] : pass) {
        EXPECT_TRUE(planned.insert(metric).second) << target << " " << metric;
        EXPECT_NE(find_metric(metric), nullptr) << metric;
        EXPECT_FALSE(counter.empty());
      }
    }
    EXPECT_EQ(planned.size(), amd_counters(target).size());
    for (const auto& pass : plan->passes) {
      EXPECT_EQ(pass.front(), "GRBM_GUI_ACTIVE") << "each has cycles of its own";
      EXPECT_EQ(std::set<std::string>(pass.begin(), pass.end()).size(), pass.size());
    }
  }
  EXPECT_FALSE(amd_plan_without_device("gfx906"));
  EXPECT_FALSE(amd_plan_without_device("sm_90"));
}

TEST(AmdCounters, SharesStandBesideTheirWholes) {
  for (const char* const target : kTargets) {
    const auto plan = amd_plan_without_device(target);
    for (const AmdCounter& counter : amd_counters(target)) {
      if (counter.form != AmdForm::kShare) continue;
      const auto together = [&](const std::vector<std::string>& pass) {
        return std::ranges::all_of(
            counter.terms, [&](const AmdCounter::Term& term) { return std::ranges::find(pass, term.counter) != pass.end(); });
      };
      EXPECT_TRUE(std::ranges::any_of(plan->passes, together)) << target << " " << counter.metric;
    }
  }
}

TEST(AmdCounters, WhatADeviceLacksIsRefusedWithItsMetrics) {
  const auto lacks = [](const std::vector<std::string>& counters) -> Result<bool> {
    return std::ranges::find(counters, "TCC_MISS_sum") == counters.end();
  };
  const auto plan = amd_plan("gfx942", lacks);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan.value().metrics.refused,
              testing::ElementsAre(CounterPlan::Named("device_l2_misses", "it does not count TCC_MISS_sum")));
  const auto nothing = amd_plan("gfx942", [](const std::vector<std::string>&) -> Result<bool> { return false; });
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing.value().passes.empty());
  EXPECT_EQ(amd_plan("gfx906", lacks).error().code, ErrorCode::kUnsupported);
}

TEST(AmdCounters, AShareOfNothingIsNoValue) {
  const AmdCounter share{"device_wait_share", AmdForm::kShare, {{"SQ_WAIT_ANY"}, {"SQ_WAVE_CYCLES"}}};
  EXPECT_FALSE(amd_value(share, {{"SQ_WAIT_ANY", {5, 5}}, {"SQ_WAVE_CYCLES", {0, 0}}}, 1, 304));
  EXPECT_FALSE(amd_value(share, {{"SQ_WAIT_ANY", {5, 5}}}, 1, 304));
  EXPECT_EQ(amd_value(share, {{"SQ_WAIT_ANY", {5, 5}}, {"SQ_WAVE_CYCLES", {10, 6}}}, 1, 304), 0.5);
}

TEST(AmdCounters, ThePriceOfATargetIsSaid) {
  EXPECT_EQ(engine::price_of_counters("gfx942"),
            "device: nothing runs here. On gfx942 rocprofiler-sdk 1.0 counts 23 metrics in 2 launches of the plan");
  EXPECT_THAT(engine::price_of_counters("sm_90"), HasSubstr("On GH100 CUPTI 13.0 counts "));
  EXPECT_EQ(engine::price_of_counters("gfx906"), "");
}

}  // namespace
}  // namespace fuselab
