// SPDX-License-Identifier: Apache-2.0
#include "core/select/default_choice.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/units.h"

namespace fuselab {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  const std::vector<MeasuredCandidate> table = {measured("cuda", PlanKind::kFused, 200, 1),
                                                measured("cpu", PlanKind::kFused, 100, 1)};
  const auto choice = choose_default(table);
  ASSERT_EQ(choice.candidate, 1U) << "what was measured decides, not the automatic order";
  EXPECT_FALSE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("cpu:0 fused " + format_duration({100e3})));
  EXPECT_THAT(choice.reason, HasSubstr("2.00x faster than cuda:0 fused"));
}

TEST(DefaultChoice, MarksAFigureThatOtherLoadDisturbed) {
  std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kFused, 100, 1)};
  EXPECT_THAT(choose_default(table).reason, Not(HasSubstr("~")));
  table[0].disturbed = true;
  EXPECT_THAT(choose_default(table).reason, HasSubstr(format_duration({100e3}) + "~ ["));
}

TEST(DefaultChoice, BreaksTiesWithinNoiseByTheAutomaticOrder) {
  const std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kFused, 100, 5),
                                                measured("cuda", PlanKind::kFused, 103, 5),
                                                measured("rocm", PlanKind::kFused, 150, 5)};
  const auto choice = choose_default(table);
  EXPECT_EQ(choice.candidate, 1U);
  EXPECT_TRUE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("within noise of cpu:0 fused"));
}

TEST(DefaultChoice, BreaksTiesAgainstTheHostsProcessorThroughAnotherBackend) {
  std::vector<MeasuredCandidate> table = {measured("opencl", PlanKind::kFused, 100, 5), measured("cpu", PlanKind::kFused, 103, 5)};
  EXPECT_EQ(choose_default(table).candidate, 0U);
  table[0].is_host_cpu_again = true;
  EXPECT_EQ(choose_default(table).candidate, 1U);
}

TEST(DefaultChoice, BreaksTiesByTheUsersPreferenceBeforeTheAutomaticOrder) {
  std::vector<MeasuredCandidate> table = {measured("cuda", PlanKind::kFused, 100, 5), measured("cpu", PlanKind::kFused, 103, 5),
                                          measured("rocm", PlanKind::kFused, 150, 5)};
  table[0].preference = 1;
  table[2].preference = 1;
  EXPECT_EQ(choose_default(table).candidate, 1U);
  std::swap(table[1].preference, table[2].preference);
  table[1].preference = 1;
  EXPECT_EQ(choose_default(table).candidate, 0U) << "a preference makes nothing faster: rocm is no tie";
}

TEST(DefaultChoice, PrefersFusedWithinNoiseAndUnfusedWhereFusionLoses) {
  const std::vector<MeasuredCandidate> same = {measured("cpu", PlanKind::kUnfused, 100, 5),
                                               measured("cpu", PlanKind::kFused, 101, 5)};
  EXPECT_EQ(choose_default(same).candidate, 1U);
  const std::vector<MeasuredCandidate> loses = {measured("cpu", PlanKind::kUnfused, 100, 1),
                                                measured("cpu", PlanKind::kFused, 120, 1)};
  EXPECT_EQ(choose_default(loses).candidate, 0U);
}

// The attention piece of a BERT layer as it was measured on a busy machine: both plans were slow at times, so that their own
// intervals overlap, but in each pair of neighbouring samples fusing was slower.
std::vector<MeasuredCandidate> bert_piece() {
  const Ratio gain{0.81, {0.79, 0.85}};
  MeasuredCandidate fused = measured("cpu", PlanKind::kFused, 1530, 0);
  fused.interval = {1.28e6, 1.61e6};
  fused.fusion_gain = gain;
  MeasuredCandidate unfused = measured("cpu", PlanKind::kUnfused, 1240, 0);
  unfused.interval = {1.05e6, 1.37e6};
  unfused.fusion_gain = gain;
  return {fused, unfused};
}

TEST(DefaultChoice, FollowsThePairedGainWhereBothPlansWereTimedInTurns) {
  const auto choice = choose_default(bert_piece());
  EXPECT_EQ(choice.candidate, 1U);
  EXPECT_FALSE(choice.within_noise);
  EXPECT_EQ(choice.reason, "cpu:0 unfused " + format_duration({1.24e6}) + " [" + format_duration({1.05e6}) + ", " +
                               format_duration({1.37e6}) + "]; fusing loses: 0.81x [0.79, 0.85], fused " +
                               format_duration({1.53e6}) + " [" + format_duration({1.28e6}) + ", " + format_duration({1.61e6}) +
                               "]");

  auto gains = bert_piece();
  for (MeasuredCandidate& candidate : gains) candidate.fusion_gain = Ratio{1.04, {1.01, 1.06}};
  const auto fuses = choose_default(gains);
  EXPECT_EQ(fuses.candidate, 0U) << "whichever of the unpaired medians is lower";
  EXPECT_THAT(fuses.reason, HasSubstr("fusing gains 1.04x [1.01, 1.06], unfused"));
}

TEST(DefaultChoice, SaysInHowManyProcessesAGainWasSeen) {
  auto table = bert_piece();
  for (MeasuredCandidate& candidate : table) candidate.gain_processes = 7;
  EXPECT_THAT(choose_default(table).reason, HasSubstr("fusing loses: 0.81x [0.79, 0.85] in 7 processes, fused"));
}

TEST(DefaultChoice, FusesWhereTheTwoPlansAreShownToBeTheSame) {
  std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kUnfused, 100, 1), measured("cpu", PlanKind::kFused, 105, 1)};
  for (MeasuredCandidate& candidate : table) candidate.fusion_gain = Ratio{0.999, {0.992, 1.008}};
  const auto choice = choose_default(table);
  EXPECT_EQ(choice.candidate, 1U);
  EXPECT_TRUE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("; fused and unfused are the same within 1 %: 1.00x [0.99, 1.01], unfused"));
  EXPECT_THAT(choice.reason, testing::Not(HasSubstr("faster than")));
}

// A BERT layer's attention after one measurement on a busy machine: its interval holds 1, and fusing is no better guess for that.
TEST(DefaultChoice, TakesTheLowerMedianWhileTheGainIsUndecidedAndSaysHowSureItIs) {
  std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kUnfused, 326, 1), measured("cpu", PlanKind::kFused, 1090, 1)};
  for (MeasuredCandidate& candidate : table) {
    candidate.fusion_gain = Ratio{0.27, {0.03, 2.59}};
    candidate.gain_processes = 2;
  }
  const auto choice = choose_default(table);
  EXPECT_EQ(choice.candidate, 0U);
  EXPECT_TRUE(choice.within_noise);
  EXPECT_THAT(choice.reason, HasSubstr("; undecided, 93 % sure that fusing loses: 0.27x [0.03, 2.59] in 2 processes, fused"));

  for (MeasuredCandidate& candidate : table) {
    candidate.fusion_gain = Ratio{1.2, {1.15, 1.25}};
    candidate.gain_processes = 12;
  }
  EXPECT_EQ(choose_default(table).candidate, 1U) << "strong evidence changes it, whatever the medians of one block were";
}

TEST(DefaultChoice, SendsThePlanThatWonOnItsDeviceAgainstTheOtherDevices) {
  auto table = bert_piece();
  table.push_back(measured("cuda", PlanKind::kFused, 1400, 5));
  const auto choice = choose_default(table);
  EXPECT_EQ(choice.candidate, 1U) << "the fused plan would have lost against the other device";
  EXPECT_THAT(choice.reason, HasSubstr("1.13x faster than cuda:0 fused"));
  EXPECT_THAT(choice.reason, HasSubstr("; fusing loses: 0.81x [0.79, 0.85], fused"));
}

TEST(DefaultChoice, LeavesSyntheticDevicesOutUnlessAskedFor) {
  auto synthetic = measured("null", PlanKind::kFused, 1, 0);
  synthetic.synthetic = true;
  const std::vector<MeasuredCandidate> table = {synthetic, measured("cpu", PlanKind::kFused, 100, 1)};
  EXPECT_EQ(choose_default(table).candidate, 1U);
  EXPECT_EQ(choose_default(table, true).candidate, 0U);
  const auto none = choose_default(std::span(table).first(1));
  EXPECT_EQ(none.candidate, std::nullopt);
  EXPECT_EQ(none.reason, "only synthetic devices were measured");
  EXPECT_EQ(choose_default({}).reason, "nothing was measured");
}

TEST(DefaultChoice, DoesNotDependOnTheOrderOfTheTable) {
  std::vector<MeasuredCandidate> table = {measured("cpu", PlanKind::kFused, 100, 5), measured("cuda", PlanKind::kFused, 100, 5),
                                          measured("rocm", PlanKind::kUnfused, 100, 5),
                                          measured("opencl", PlanKind::kFused, 99, 5)};
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.device_id < b.device_id; });
  do {
    const auto choice = choose_default(table);
    ASSERT_TRUE(choice.candidate);
    EXPECT_EQ(table[*choice.candidate].backend, "cuda");
  } while (
      std::next_permutation(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.device_id < b.device_id; }));
}

MeasuredCandidate loses_nan(MeasuredCandidate candidate, PlanDrawbacks loss) {
  candidate.drawbacks = loss;
  return candidate;
}

TEST(DefaultChoice, WithholdsWhatLosesNaNAndSaysWhatItWouldGain) {
  const auto library = measured("onednn", PlanKind::kFused, 100, 1), own = measured("cpu", PlanKind::kFused, 210, 1);
  const std::vector<MeasuredCandidate> withheld = {loses_nan(library, withheld_for(Drawback::kNanLoss)), own};
  const auto choice = choose_default(withheld);
  EXPECT_EQ(choice.candidate, 1U);
  EXPECT_THAT(choice.reason, HasSubstr("; onednn:0 fused " + format_duration({100e3}) +
                                       " would be 2.10x faster, but loses NaN (--accept nan-loss takes it)"));
  const std::vector<MeasuredCandidate> accepted = {loses_nan(library, accepted_with(Drawback::kNanLoss)), own};
  EXPECT_EQ(choose_default(accepted).candidate, 0U);
  EXPECT_THAT(choose_default(accepted).reason, HasSubstr("loses NaN, which is accepted"));
}

TEST(DefaultChoice, NamesNoNaNWhereItWouldGainNothing) {
  const std::vector<MeasuredCandidate> table = {
      loses_nan(measured("onednn", PlanKind::kFused, 300, 1), withheld_for(Drawback::kNanLoss)),
      measured("cpu", PlanKind::kFused, 210, 1)};
  EXPECT_EQ(choose_default(table).candidate, 1U);
  EXPECT_THAT(choose_default(table).reason, Not(HasSubstr("NaN")));
}

TEST(DefaultChoice, IsNoneWhereAllThatWasMeasuredLosesNaN) {
  const std::vector<MeasuredCandidate> table = {
      loses_nan(measured("onednn", PlanKind::kUnfused, 300, 1), withheld_for(Drawback::kNanLoss)),
      loses_nan(measured("onednn", PlanKind::kFused, 100, 1), withheld_for(Drawback::kNanLoss))};
  const auto choice = choose_default(table);
  EXPECT_FALSE(choice.candidate);
  EXPECT_THAT(choice.reason, HasSubstr("onednn:0 fused " + format_duration({100e3})));
  EXPECT_THAT(choice.reason, HasSubstr("loses NaN (--accept nan-loss takes it), and nothing else was measured"));
}

}  // namespace
}  // namespace fuselab
