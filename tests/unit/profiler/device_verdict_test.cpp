// SPDX-License-Identifier: Apache-2.0
// Every bound of a GPU is found from counters in which it is the reason, and not where they lack it. The sets are made up.
#include <gmock/gmock.h>

#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kMeasured = 1e6;

// A GPU of ten multiprocessors that was counted, nothing of which is busy.
struct DeviceFacts : ProfileFacts {
  explicit DeviceFacts(double issued, double occupancy) : ProfileFacts(kProduct) {
    threads = 10;
    ceilings.rows.clear();
    counters.rung = "device, 7 passes";
    count("device_issue_active", issued);
    count("device_occupancy", occupancy);
    count("device_cycles", 1e6);
  }
  Standing& stand(double launch_share = 0) {
    standing(kMeasured);
    last.device_threads = 10;
    last.launch_share = launch_share;
    last.launch_ns = launch_share * kMeasured;
    return last;
  }
  BoundVerdict judged() const { return judge({graph, cost, measured, last, code, counters, sweep, kernels}); }
  BoundVerdict verdict() {
    stand();
    return judged();
  }
  void compiled(double occupancy, const char* limited_by) {
    kernels.push_back({0, "fl_kernel", "sm_90", {{"static_occupancy", occupancy, "", "derived", 1, false}}, limited_by, ""});
  }
};

const Finding* finding_of(const BoundVerdict& verdict, Bound bound) {
  const auto found = std::ranges::find(verdict.findings, bound, &Finding::bound);
  return found == verdict.findings.end() ? nullptr : &*found;
}

TEST(DeviceVerdicts, ABusyMemoryIsTheBoundAndSureWhereWarpsWaitForIt) {
  DeviceFacts facts(0.2, 0.9);
  facts.count("device_memory_share", 0.91);
  EXPECT_EQ(facts.verdict().bound, Bound::kMemory);
  EXPECT_EQ(facts.verdict().certainty, Certainty::kLikely) << "one kind of evidence alone";
  facts.count("device_stall_long_scoreboard", 12);
  facts.count("device_stall_wait", 2);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.certainty, Certainty::kSure);
  EXPECT_THAT(verdict.text, HasSubstr("the device's memory works at 91 % of its peak rate"));
  EXPECT_THAT(verdict.text, HasSubstr("a warp waits for data of global memory in 80 % of the cycles")) << "12 of 12 + 2 + 1";
  EXPECT_THAT(verdict.text, Not(HasSubstr("No hardware counter")));
}

TEST(DeviceVerdicts, BytesThatPassTwiceAndLoadsOfStrangersAreSaid) {
  DeviceFacts facts(0.2, 0.9);
  facts.count("device_memory_share", 0.9);
  facts.count("device_load_sectors", 32e3);
  facts.count("device_load_requests", 1e3);
  facts.stand();
  facts.count("device_memory_bytes", 2 * facts.last.compulsory_bytes);
  const BoundVerdict verdict = facts.judged();
  EXPECT_THAT(verdict.text, HasSubstr("2.00× what the graph must move"));
  EXPECT_THAT(verdict.text, HasSubstr("touches 32.0 sectors of 32 B"));
  DeviceFacts wide(0.2, 0.9);
  wide.count("device_memory_share", 0.9);
  wide.count("device_load_sectors", 16e3);
  wide.count("device_load_requests", 1e3);
  EXPECT_THAT(wide.verdict().text, Not(HasSubstr("sectors of 32 B"))) << "16 bytes of each thread";
}

TEST(DeviceVerdicts, TrafficWithTheSecondCacheIsHeldAgainstItsCeiling) {
  DeviceFacts facts(0.2, 0.9);
  facts.count("device_memory_share", 0.2);
  facts.count("device_l2_hits", 95);
  facts.count("device_l2_sectors", 100);
  facts.stand();
  RooflineLevel level{"L2", 5e12, 4e6, "counted", 0.8e6, 0.8, true};
  facts.last.levels = {level};
  const BoundVerdict verdict = facts.judged();
  EXPECT_EQ(verdict.bound, Bound::kCache);
  EXPECT_EQ(verdict.where, "L2");
  EXPECT_THAT(verdict.text, HasSubstr("95 % of what is looked up in L2 is found there"));
  EXPECT_EQ(std::ranges::count(verdict.findings, Bound::kCache, &Finding::bound), 1) << "roofline and counters share it";
}

TEST(DeviceVerdicts, CountedBytesTakeThePlaceOfTheGraphs) {
  DeviceFacts facts(0.2, 0.9);
  facts.count("device_memory_bytes", 7e6);
  EXPECT_THAT(facts.stand().levels, Contains(testing::AllOf(testing::Field(&RooflineLevel::level, "memory"),
                                                            testing::Field(&RooflineLevel::source, "counted"),
                                                            testing::Field(&RooflineLevel::bytes, 7e6))));
}

TEST(DeviceVerdicts, AFullQueueOfGlobalMemoryIsTheFirstCaches) {
  DeviceFacts facts(0.1, 0.9);
  facts.count("device_stall_lg_throttle", 20);
  facts.count("device_stall_long_scoreboard", 3);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kCache);
  EXPECT_EQ(verdict.where, "L1");
  EXPECT_NEAR(verdict.findings.front().share, 0.9 * 20 / 24, 1e-9);
}

TEST(DeviceVerdicts, PassesOfSharedMemoryAndConflictsInThem) {
  DeviceFacts facts(0.1, 0.9);
  facts.count("device_shared_wavefronts", 9e6);  // of ten multiprocessors in a million cycles
  facts.count("device_shared_conflicts", 8e6);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kShared);
  EXPECT_EQ(verdict.where, "bank conflicts");
  EXPECT_DOUBLE_EQ(verdict.findings.front().share, 0.9);
  EXPECT_THAT(verdict.text, HasSubstr("89 % of the passes of shared memory repeat one for a bank conflict"));
  EXPECT_THAT(verdict.look_at, Contains(HasSubstr("pad or swizzle")));
  DeviceFacts without(0.1, 0.9);
  without.count("device_shared_wavefronts", 9e6);
  EXPECT_EQ(without.verdict().where, "");
  EXPECT_THAT(without.verdict().text, HasSubstr("the path to it is busy"));
}

TEST(DeviceVerdicts, WithoutAPassOfSharedMemoryItsQueueIsAnotherUnits) {
  DeviceFacts facts(0.1, 0.95);
  facts.count("device_stall_short_scoreboard", 9);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(finding_of(verdict, Bound::kShared), nullptr);
  EXPECT_EQ(verdict.bound, Bound::kLatency);
}

// exp and tanh wait on the scoreboard of shared memory.
TEST(DeviceVerdicts, SpecialFunctionsAreNotSharedMemorysWhereItsPathIsIdle) {
  DeviceFacts facts(0.25, 0.9);
  facts.count("device_shared_wavefronts", 2e5);  // 2 % of the cycles of ten multiprocessors
  facts.count("device_stall_short_scoreboard", 8);
  facts.count("device_stall_long_scoreboard", 1);
  facts.count("device_stall_wait", 2);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLatency);
  EXPECT_THAT(verdict.text, HasSubstr("a special unit"));
}

TEST(DeviceVerdicts, BusyMatrixUnitsAreTheBound) {
  DeviceFacts facts(0.25, 0.12);
  facts.count("device_tensor_active", 0.88);
  facts.count("device_stall_gmma", 5);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kTensor);
  EXPECT_EQ(verdict.certainty, Certainty::kSure);
  EXPECT_THAT(verdict.text, HasSubstr("the matrix units work in 88 % of the cycles"));
  EXPECT_EQ(finding_of(verdict, Bound::kOccupancy), nullptr) << "one block on a multiprocessor is normal";
}

TEST(DeviceVerdicts, OfWarpGroupsNoMoreWarpsAreAsked) {
  DeviceFacts facts(0.1, 0.12);
  facts.compiled(0.125, "shared memory");
  facts.count("device_stall_wait", 3);
  EXPECT_EQ(facts.verdict().bound, Bound::kOccupancy);
  facts.code.code.push_back({0, 0x10, "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24", 7, -1, 0});
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(finding_of(verdict, Bound::kOccupancy), nullptr);
  EXPECT_EQ(verdict.bound, Bound::kLatency);
  EXPECT_NEAR(verdict.findings.front().share, 0.9, 1e-9) << "all of the waiting";
}

TEST(DeviceVerdicts, IdleMultiprocessorsAreTheLaunchs) {
  DeviceFacts facts(0.8, 0.9);
  facts.count("device_active_share", 0.3);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kOccupancy);
  EXPECT_EQ(verdict.where, "the launch");
  EXPECT_NEAR(verdict.findings.front().share, 0.7, 1e-9);
  EXPECT_THAT(verdict.text, HasSubstr("a multiprocessor has work in 30 % of the time"));
  EXPECT_THAT(verdict.look_at, Contains(HasSubstr("more blocks")));
  EXPECT_NEAR(finding_of(verdict, Bound::kIssue)->share, 0.8 * 0.3, 1e-9) << "a share of the active cycles";
  facts.stand(0.7);
  EXPECT_NEAR(finding_of(facts.judged(), Bound::kIssue)->share, 0.8 * 0.3, 1e-9) << "idle between launches is counted once";
  EXPECT_THAT(facts.judged().look_at, Not(Contains(HasSubstr("more blocks"))));
}

TEST(DeviceVerdicts, APeakThatIsPassedIsAnotherUnits) {
  DeviceFacts facts(0.25, 0.12);
  facts.count("device_tensor_active", 0.6);
  facts.stand().compute_share = 3;
  EXPECT_EQ(facts.judged().bound, Bound::kTensor);
  EXPECT_EQ(finding_of(facts.judged(), Bound::kPorts), nullptr);
  facts.last.compute_share = 0.9;
  EXPECT_EQ(facts.judged().bound, Bound::kTensor) << "f32 in three products of tf32";
  EXPECT_EQ(finding_of(facts.judged(), Bound::kPorts), nullptr);
  DeviceFacts without(0.25, 0.12);
  without.stand().compute_share = 0.9;
  EXPECT_EQ(without.judged().bound, Bound::kPorts);
}

TEST(DeviceVerdicts, ABusySchedulerIsIssue) {
  DeviceFacts facts(0.85, 0.9);
  EXPECT_EQ(facts.verdict().bound, Bound::kIssue);
  EXPECT_EQ(facts.verdict().certainty, Certainty::kLikely);
  facts.count("device_eligible_warps", 3.2);
  EXPECT_EQ(facts.verdict().certainty, Certainty::kSure);
  EXPECT_THAT(facts.verdict().text, HasSubstr("3.2 warps of a scheduler could issue"));
}

TEST(DeviceVerdicts, AFullUnitOfArithmeticIsPortsUnlessMatrixUnitsWork) {
  DeviceFacts facts(0.4, 0.9);
  facts.count("device_stall_math_pipe_throttle", 20);
  EXPECT_EQ(facts.verdict().bound, Bound::kPorts);
  facts.count("device_tensor_active", 0.5);
  EXPECT_EQ(finding_of(facts.verdict(), Bound::kPorts), nullptr);
  EXPECT_THAT(finding_of(facts.verdict(), Bound::kTensor)->evidence, Contains(HasSubstr("a busy unit of arithmetic")));
}

TEST(DeviceVerdicts, FewWarpsAreOccupancyAndTheCompilerSaysWhatLimitsThem) {
  DeviceFacts facts(0.15, 0.2);
  facts.count("device_stall_long_scoreboard", 6);
  facts.compiled(0.25, "registers");
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kOccupancy);
  EXPECT_EQ(verdict.where, "registers");
  EXPECT_EQ(verdict.certainty, Certainty::kSure);
  EXPECT_NEAR(verdict.findings.front().share, 0.8, 1e-9) << "full multiprocessors would leave a fifth of the time";
  EXPECT_THAT(verdict.text, HasSubstr("of fl_kernel no more than 25 % fit, limited by registers"));
}

TEST(DeviceVerdicts, FewerWarpsThanFitAreTheLaunchs) {
  DeviceFacts facts(0.15, 0.2);
  facts.compiled(1, "threads");
  EXPECT_EQ(facts.verdict().where, "the launch");
  EXPECT_THAT(facts.verdict().look_at, Contains(HasSubstr("more blocks")));
}

TEST(DeviceVerdicts, ManyWarpsThatWaitAreLatencyOfTheLongestWait) {
  DeviceFacts facts(0.2, 0.95);
  facts.count("device_memory_share", 0.3);
  facts.count("device_stall_barrier", 8);
  facts.count("device_stall_long_scoreboard", 4);
  const BoundVerdict verdict = facts.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLatency);
  EXPECT_EQ(verdict.where, "other warps at a barrier");
  EXPECT_EQ(verdict.certainty, Certainty::kSure);
  EXPECT_NEAR(verdict.findings.front().share, 0.7 - 0.05, 1e-9) << "what full multiprocessors would gain is occupancy's";
}

TEST(DeviceVerdicts, AShortLaunchIsTheLaunchs) {
  DeviceFacts facts(0.3, 0.5);
  facts.stand(0.8);
  EXPECT_EQ(facts.judged().bound, Bound::kLaunch);
  EXPECT_LE(finding_of(facts.judged(), Bound::kIssue)->share, 0.3 * 0.2 + 1e-9) << "a share of the cycles in which it runs";
  DeviceFacts worked(0.3, 0.5);
  worked.count("device_time", 0.2e6);
  EXPECT_EQ(worked.verdict().bound, Bound::kLaunch);
  EXPECT_THAT(worked.verdict().text, HasSubstr("the device works 200"));
  DeviceFacts slower(0.3, 0.5);
  slower.count("device_time", 1.2e6);
  EXPECT_EQ(finding_of(slower.verdict(), Bound::kLaunch), nullptr) << "counting made it longer";
}

TEST(DeviceVerdicts, SpillsAreAShareOfTheInstructions) {
  DeviceFacts facts(0.2, 0.9);
  facts.count("device_instructions", 1000);
  facts.count("device_spill_loads", 300);
  facts.count("device_spill_stores", 200);
  facts.kernels.push_back({0, "fl_kernel", "sm_90", {{"static_spill_stores", 256.0, "", "NVRTC", 1, false}}, "", ""});
  const Finding* found = nullptr;
  const BoundVerdict verdict = facts.verdict();
  ASSERT_NE(found = finding_of(verdict, Bound::kSpills), nullptr);
  EXPECT_DOUBLE_EQ(found->share, 0.5);
  EXPECT_THAT(found->rests_on, Contains("compiler"));
  DeviceFacts sectors(0.2, 0.9);
  sectors.count("device_instructions", 1000);
  sectors.count("device_spill_loads", 400, "CUPTI: l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum");
  EXPECT_DOUBLE_EQ(finding_of(sectors.verdict(), Bound::kSpills)->share, 0.1) << "four sectors of an access";
}

TEST(DeviceVerdicts, CountersOfWarmLaunchesSayNothingOfOtherCaches) {
  DeviceFacts facts(0.9, 0.9);
  facts.count("device_memory_share", 0.9);
  facts.mode = CacheMode::kCold;
  EXPECT_THAT(facts.verdict().findings, testing::IsEmpty());
}

TEST(DeviceVerdicts, WithoutCountersOfSchedulersNothingIsSaidOfWaiting) {
  ProfileFacts facts(kProduct);
  facts.count("device_occupancy", 0.1);
  const BoundVerdict verdict = facts.verdict(kMeasured);
  EXPECT_EQ(finding_of(verdict, Bound::kOccupancy), nullptr);
  EXPECT_EQ(finding_of(verdict, Bound::kLatency), nullptr);
}

TEST(DeviceVerdicts, RefusedCountersAreAReason) {
  ProfileFacts facts(kLargeSum);
  facts.counters.passed_over = {"device: counters are for administrators"};
  EXPECT_THAT(facts.verdict(2.7e6).text, HasSubstr("No hardware counter was read (counters are for administrators)"));
}

}  // namespace
}  // namespace fuselab::profile
