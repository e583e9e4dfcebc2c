// SPDX-License-Identifier: Apache-2.0
#include "core/select/default_choice.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/units.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

MeasuredCandidate measured(std::string backend, PlanKind kind, double median_us, double half_width_us) {
  MeasuredCandidate candidate;
  candidate.device_id = backend + ":0";
  candidate.backend = std::move(backend);
  candidate.kind = kind;
  candidate.median_ns = median_us * 1e3;
  candidate.interval = {(median_us - half_width_us) * 1e3, (median_us + half_width_us) * 1e3};
  return candidate;
}

TEST(DefaultChoice, TakesTheFastestAndNamesTheNumbers) {
  std::vector<MeasuredCandidate> const table = {measured("cuda", PlanKind::kFused, 200, 1),
                                                measured("cpu", PlanKind::kFused, 100, 1)};
  auto const choice = choose_default(table);
  ASSERT_EQ(choice.candidate, 1U) << "what was measured decides, not the automatic order";
  EXPECT_FALSE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("cpu:0 fused " + format_duration({100e3})));
  EXPECT_THAT(choice.reason, HasSubstr("2.00x faster than cuda:0 fused"));
}

TEST(DefaultChoice, BreaksTiesWithinNoiseByTheAutomaticOrder) {
  std::vector<MeasuredCandidate> const table = {measured("cpu", PlanKind::kFused, 100, 5),
                                                measured("cuda", PlanKind::kFused, 103, 5),
                                                measured("rocm", PlanKind::kFused, 150, 5)};
  auto const choice = choose_default(table);
  EXPECT_EQ(choice.candidate, 1U);
  EXPECT_TRUE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("within noise of cpu:0 fused"));
}

TEST(DefaultChoice, PrefersFusedWithinNoiseAndUnfusedWhereFusionLoses) {
  std::vector<MeasuredCandidate> const same = {measured("cpu", PlanKind::kUnfused, 100, 5),
                                               measured("cpu", PlanKind::kFused, 101, 5)};
  EXPECT_EQ(choose_default(same).candidate, 1U);
  std::vector<MeasuredCandidate> const loses = {measured("cpu", PlanKind::kUnfused, 100, 1),
                                                measured("cpu", PlanKind::kFused, 120, 1)};
  EXPECT_EQ(choose_default(loses).candidate, 0U);
}

TEST(DefaultChoice, LeavesSyntheticDevicesOutUnlessAskedFor) {
  auto synthetic = measured("null", PlanKind::kFused, 1, 0);
  synthetic.synthetic = true;
  std::vector<MeasuredCandidate> const table = {synthetic, measured("cpu", PlanKind::kFused, 100, 1)};
  EXPECT_EQ(choose_default(table).candidate, 1U);
  EXPECT_EQ(choose_default(table, true).candidate, 0U);
  auto const none = choose_default(std::span(table).first(1));
  EXPECT_EQ(none.candidate, std::nullopt);
  EXPECT_EQ(none.reason, "only synthetic devices were measured");
  EXPECT_EQ(choose_default({}).reason, "nothing was measured");
}

TEST(DefaultChoice, DoesNotDependOnTheOrderOfTheTable) {
  std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kFused, 100, 5), measured("cuda", PlanKind::kFused, 100, 5),
                                          measured("rocm", PlanKind::kUnfused, 100, 5),
                                          measured("opencl", PlanKind::kFused, 99, 5)};
  std::sort(table.begin(), table.end(), [](auto const& a, auto const& b) { return a.device_id < b.device_id; });
  do {
    auto const choice = choose_default(table);
    ASSERT_TRUE(choice.candidate);
    EXPECT_EQ(table[*choice.candidate].backend, "cuda");
  } while (
      std::next_permutation(table.begin(), table.end(), [](auto const& a, auto const& b) { return a.device_id < b.device_id; }));
}

}  // namespace
}  // namespace fuselab
