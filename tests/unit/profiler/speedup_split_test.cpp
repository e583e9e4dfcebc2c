// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/speedup_split.h"

#include <gmock/gmock.h>

#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

using testing::HasSubstr;

constexpr const char* kChain = "graph(x: f32[16777216], b: f32[16777216]) { s = Add(x, b); y = Relu(s); return y }";
constexpr const char* kSmallChain = "graph(x: f32[32768], b: f32[32768]) { s = Add(x, b); y = Relu(s); return y }";

SpeedupSplit split_of(ProfileFacts& facts, double unfused_ns, double fused_ns, int operators = 2) {
  facts.standing(fused_ns);
  SplitInput input{
      .graph = facts.graph, .cost = facts.cost, .operators = operators, .levels = facts.levels, .standing = facts.last};
  input.unfused_ns = unfused_ns;
  input.fused_ns = fused_ns;
  input.gain = fused_ns > 0 ? unfused_ns / fused_ns : 0;
  input.low = input.gain * 0.98;
  input.high = input.gain * 1.02;
  input.processes = 5;
  return split_speedup(input);
}

const SplitPart& part(const SpeedupSplit& split, const std::string& what) {
  const auto found = std::find_if(split.parts.begin(), split.parts.end(), [&](const SplitPart& each) { return each.what == what; });
  EXPECT_NE(found, split.parts.end()) << what;
  static const SplitPart kNone;
  return found == split.parts.end() ? kNone : *found;
}

TEST(SpeedupSplits, TheIntermediateIsNotMovedThroughMemory) {
  ProfileFacts facts(kChain);
  const double saved = 2 * 64 * 1048576 / 20e9 * 1e9;
  const double fused = 3 * 64 * 1048576 / 20e9 * 1e9;
  const SpeedupSplit split = split_of(facts, fused + saved + 1000, fused);
  EXPECT_EQ(part(split, "memory traffic").amount, 2 * 64 * 1048576) << "written once and read once";
  EXPECT_NEAR(*part(split, "memory traffic").saved_ns, saved, 1);
  EXPECT_NEAR(*part(split, "launches").saved_ns, 1000, 1e-6);
  EXPECT_NEAR(split.predicted, split.measured, 0.001);
  EXPECT_NEAR(*part(split, "not explained").saved_ns, 0, 1);
  EXPECT_NEAR(split.most, 5.0 / 3, 1e-9);
  EXPECT_THAT(split.text, HasSubstr("Fusion gains 1.67×"));
  EXPECT_THAT(split.text, HasSubstr("in 5 processes"));
  EXPECT_FALSE(part(split, "arithmetic repeated").saved_ns);
  EXPECT_THAT(part(split, "arithmetic repeated").reason, HasSubstr("--exact"));
}

TEST(SpeedupSplits, AnIntermediateInACacheSavesItsBandwidth) {
  ProfileFacts facts(kSmallChain);
  const SpeedupSplit split = split_of(facts, 10e3, 7e3);
  EXPECT_NEAR(*part(split, "L2 traffic").saved_ns, 2 * 131072 / 200e9 * 1e9, 1e-6);
}

TEST(SpeedupSplits, ALossIsCalledOneAndItsReasonIsLookedFor) {
  ProfileFacts facts(kChain);
  LoopReport& loop = facts.add_loop();
  loop.spill_loads = 5;
  facts.standing(32e6);
  SplitInput input{.graph = facts.graph, .cost = facts.cost, .operators = 2, .levels = facts.levels, .standing = facts.last};
  input.unfused_ns = 20e6;
  input.fused_ns = 32e6;
  input.gain = 0.625;
  input.low = 0.61;
  input.high = 0.64;
  input.unfused_work = 100;
  input.fused_work = 150;
  input.work = "instructions";
  input.hottest = &facts.code.loops.front();
  const SpeedupSplit split = split_speedup(input);
  EXPECT_GT(split.predicted, 1) << "traffic alone predicts a gain";
  EXPECT_LT(*part(split, "not explained").saved_ns, -3e6);
  EXPECT_DOUBLE_EQ(part(split, "arithmetic repeated").amount, 1.5);
  EXPECT_THAT(split.text, HasSubstr("Fusion loses: it gives 0.62×"));
  EXPECT_THAT(split.text, HasSubstr("1.50× the instructions"));
  EXPECT_THAT(split.text, HasSubstr("25 % spills"));
}

TEST(SpeedupSplits, ThePredictionKeepsToTheFusedPlansOwnLimits) {
  ProfileFacts facts(kChain);
  const SpeedupSplit split = split_of(facts, 10.5e6, 10.2e6);  // the unfused plan is faster than its traffic would allow
  EXPECT_NEAR(split.predicted, 10.5e6 / (3 * 64 * 1048576 / 20e9 * 1e9), 0.001);
}

TEST(SpeedupSplits, WhereNothingCanBeSplitThereIsAReason) {
  ProfileFacts facts(kLargeSum);
  EXPECT_THAT(split_of(facts, 1, 1, 1).why_not, HasSubstr("single operator"));
  ProfileFacts chain(kChain);
  EXPECT_THAT(split_of(chain, 0, 1).why_not, HasSubstr("not measured"));
}

}  // namespace
}  // namespace fuselab::profile
