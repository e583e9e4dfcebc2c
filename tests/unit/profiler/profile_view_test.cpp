// SPDX-License-Identifier: Apache-2.0
#include "app/views/profile_view.h"

#include <gmock/gmock.h>

#include "app/cli/output/profiles/profile_text.h"
#include "app/engine/profile/exact_count.h"
#include "app/views/annotated_code.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

engine::ProfileView sample() {
  engine::ProfileView view;
  Profile& profile = view.profile;
  profile.piece = "Add+Gelu";
  profile.device_id = "cpu:0";
  profile.plan = "fused";
  profile.config = "threads=2";
  profile.trial_id = "5bb59fb5-0933";
  profile.median_ns = 2e6;
  profile.low_ns = 1.9e6;
  profile.high_ns = 2.1e6;
  profile.measured_by = "trial";
  profile.standing.levels = {{"memory", 20e9, 4e7, "compulsory", 2e6, 1, true}};
  profile.counters.metrics = {{"task_clock", 4e6, "", "perf_event: task-clock", 1, false},
                              {"cycles", std::nullopt, "no PMU", "perf_event: cpu-cycles", 0, false},
                              {"instructions", std::nullopt, "no PMU", "perf_event: instructions", 0, false}};
  LoopReport loop;
  loop.first = 0x1000;
  loop.last = 0x1008;
  loop.instructions = 2;
  loop.hits = 30;
  profile.code.loops = {loop};
  profile.code.code = {
      {0, 0x1000, "vaddps %ymm0,%ymm1,%ymm2", 2, 0, 30}, {0, 0x1008, "jne 1000", 1, 0, 0}, {0, 0x2000, "ret", 3, -1, 10}};
  profile.verdict.text = "Bound by memory.";
  view.sources = {"for (;;)\n  y = x + b;\n"};
  return view;
}

TEST(ProfileViews, ValuesAndReasonsStandApart) {
  const Profile profile = sample().profile;
  const auto table = engine::metric_words(profile);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0][0], "time on CPUs");
  const auto missing = engine::uncounted_words(profile);
  ASSERT_EQ(missing.size(), 1U) << "one reason is said once";
  EXPECT_EQ(missing[0], "CPU cycles, instructions retired: no PMU");
}

TEST(ProfileViews, TheHeadlineIsOneLineOfFigures) {
  Profile profile = sample().profile;
  profile.graph = "graph(x: f32[8,8]) { y = Exp(x); return y }";
  profile.verdict.bound = Bound::kPorts;
  profile.verdict.where = "FMA port 0";
  profile.standing.peak_flops = 1e11;
  profile.standing.compute_share = 0.53;
  profile.standing.levels = {{"L1", 4e11, 4e7, "code", 1, 0.12, false},
                             {"L2", 2e11, 4e7, "compulsory", 1, 0.104, true},
                             {"memory", 20e9, 0, "", 0, 0, false}};
  EXPECT_EQ(engine::headline_words(profile), "Compute bound (FMA port 0): 53 % of the FP32 peak · L1 12 % · L2 10 %")
      << "a level that the data do not reach has no share";
  profile.standing.levels = {{"memory", 20e9, 4e7, "compulsory", 2e6, 0.84, true}};
  profile.verdict.bound = Bound::kMemory;
  EXPECT_EQ(engine::headline_words(profile), "Memory bound (DRAM): 53 % of the FP32 peak · DRAM 84 %");
  profile.median_ns = 0;
  EXPECT_EQ(engine::headline_words(profile), "") << "nothing was measured";
}

TEST(ProfileViews, TheHottestLoopStandsBesideItsSource) {
  const auto lines = engine::annotated_code(sample());
  ASSERT_EQ(lines.size(), 2U) << "the instruction outside of the loop is left out";
  EXPECT_EQ(lines[0].source, "for (;;)");
  EXPECT_EQ(lines[1].source, "  y = x + b;");
  EXPECT_EQ(lines[1].hits, 30);
  EXPECT_EQ(engine::loop_words(sample().profile, 5).rows.at(0).at(2), "75 %") << "of all samples in the kernel";
}

TEST(ProfileViews, AnotherFunctionAtTheSameAddressesIsNoneOfTheLoop) {
  engine::ProfileView view = sample();
  std::vector<CodeLine>& code = view.profile.code.code;
  for (CodeLine& line : code) line.function = "kernel";
  view.profile.code.loops[0].function = "kernel";
  code.insert(code.begin(), {0, 0x1000, "EXIT", 2, -1, 0, 0, 0, "fold"});
  const auto lines = engine::annotated_code(view);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].code.size(), 1U);
  EXPECT_THAT(cli::profile_text(view, true, {}), HasSubstr("  in kernel:\n"));
  EXPECT_EQ(engine::annotated_functions(view).front().function, "fold") << "function after function, as the binary has them";
}

TEST(ProfileViews, TheTextHasTheVerdictBeforeItsEvidence) {
  const std::string text = cli::profile_text(sample(), true, {});
  EXPECT_THAT(text, HasSubstr("measured: 2.00 ms [1.90 ms, 2.10 ms], trial 5bb59fb5-0933"));
  EXPECT_LT(text.find("Bound by memory."), text.find("Where it stands"));
  EXPECT_THAT(text, HasSubstr("memory (holds the working set)"));
  EXPECT_THAT(text, HasSubstr("2:   y = x + b;"));
}

TEST(ProfileViews, TextOfStrangersCannotSteerTheTerminal) {
  engine::ProfileView view = sample();
  view.profile.piece = "evil\x1b[2J";
  view.profile.counters.passed_over = {"generic: \x1b]0;x\x07"};
  view.profile.code.code[0].text = "\x1b[31m";
  EXPECT_EQ(cli::profile_text(view, true, {}).find('\x1b'), std::string::npos);
}

TEST(ProfileViews, OfTwoConfigurationsWhatDiffersStandsSideBySide) {
  engine::ProfileView one = sample(), other = sample();
  EXPECT_THAT(engine::compared_words(one.profile, other.profile).rows.at(0),
              testing::ElementsAre("configuration", "the same", "the same", ""));
  one.profile.config = "splits=1,stages=4,threads=2";
  other.profile.config = "splits=2,threads=2,vector=8";
  const auto rows = engine::compared_words(one.profile, other.profile).rows;
  EXPECT_THAT(rows.at(0), testing::ElementsAre("configuration: splits", "1", "2", ""));
  EXPECT_THAT(rows.at(1), testing::ElementsAre("configuration: stages", "4", "–", ""));
  EXPECT_THAT(rows.at(2), testing::ElementsAre("configuration: vector", "–", "8", ""));
  EXPECT_EQ(rows.at(3).at(0), "time");
}

TEST(ProfileViews, TwoPlansStandSideBySide) {
  engine::ProfileView other = sample();
  other.profile.median_ns = 4e6;
  const auto table = engine::compared_words(sample().profile, other.profile);
  EXPECT_EQ(table.rows.at(1).at(0), "time");
  EXPECT_EQ(table.rows.at(1).at(3), "2.00");
  EXPECT_THAT(cli::profiles_text(sample(), other, {}), HasSubstr("Verdict on 5bb59fb5"));
}

TEST(ExactCounts, TheLogIsRead) {
  EXPECT_EQ(engine::read_callgrind_count("==7== \n==7== Collected : 123456\n==7== \n"), 123456);
  EXPECT_FALSE(engine::read_callgrind_count("==7== Collected"));
}

}  // namespace
}  // namespace fuselab
