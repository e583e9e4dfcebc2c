// SPDX-License-Identifier: Apache-2.0
// What goes into llvm-mca and what comes out of it (recorded: LLVM 14.0.6, -mcpu=znver3).
#include <gmock/gmock.h>

#include <algorithm>

#include "profiler/static/loop_report.h"
#include "profiler/static/mca_input.h"
#include "profiler/static/mca_processor.h"
#include "profiler/static/mca_report.h"
#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ModelOfTheProcessor, ABlockThatItsUnitsLimitIsRead) {
  const auto loop = read_mca_report(fixture_text("ports.mca"));
  ASSERT_TRUE(loop.ok());
  EXPECT_NEAR(loop.value().cycles, 1.56, 0.1);
  EXPECT_EQ(loop.value().reciprocal_throughput, 1.5);
  EXPECT_EQ(loop.value().busiest_resource, "Zn3FPP45");
  EXPECT_EQ(loop.value().busiest_cycles, 1.5);
  EXPECT_FALSE(loop.value().is_latency_bound());
}

TEST(ModelOfTheProcessor, ASumOfOneChainIsBoundByLatency) {
  const auto loop = read_mca_report(fixture_text("latency.mca"));
  ASSERT_TRUE(loop.ok());
  EXPECT_NEAR(loop.value().cycles, 3.05, 0.01);
  EXPECT_TRUE(loop.value().is_latency_bound());
  EXPECT_GT(loop.value().data_dependency_share, 0.1);
  EXPECT_EQ(loop.value().resource_pressure_share, 0);
}

TEST(ModelOfTheProcessor, TheCostOfEachInstructionIsRead) {
  EXPECT_TRUE(read_mca_costs(fixture_text("ports.mca")).empty()) << "they were not asked for";
  const auto costs = read_mca_costs(
      "Block RThroughput: 0.7\n\nInstruction Info:\n[1]: #uOps\n[2]: Latency\n\n"
      "[1]    [2]    [3]    [4]    [5]    [6]    Instructions:\n"
      " 1      10    0.50    *                   vaddss\t(%rax), %xmm0, %xmm0\n"
      " 1      1     0.25                        addq\t$4, %rax\n\nResources:\n[0]   - Zn3AGU0\n");
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].latency, 10);
  EXPECT_DOUBLE_EQ(costs[0].cycles, 0.5);
  EXPECT_DOUBLE_EQ(costs[1].cycles, 0.25);
}

TEST(ModelOfTheProcessor, WordsWithoutFiguresAreRefused) {
  for (const char* text : {"", "error: found an unsupported instruction in the input assembly sequence.\n",
                           "Iterations: 0\nTotal Cycles: 1\nIPC: 1\nBlock RThroughput: 1\n"})
    EXPECT_FALSE(read_mca_report(text).ok()) << text;
}

TEST(ModelOfTheProcessor, TheVersionNamesTheModel) {
  const McaVersion version = read_mca_version(fixture_text("version.mca"));
  EXPECT_EQ(version.version, "14.0.6");
  EXPECT_EQ(version.processor, "znver3");
  EXPECT_EQ(read_mca_version("nonsense").version, "");
}

TEST(ModelOfTheProcessor, AProcessorWithoutANameHasStandIns) {
  for (const char* name : {"", "(unknown)", "generic", "x86-64-v4"}) EXPECT_FALSE(names_processor(name)) << name;
  EXPECT_TRUE(names_processor("znver5"));
  EXPECT_EQ(stand_in_processors("AMD EPYC").front(), "znver5");
  EXPECT_EQ(stand_in_processors("Intel(R) Xeon(R)").front(), "sapphirerapids");
  EXPECT_THAT(probe_for("vaddps %zmm1, %zmm2, %zmm3"), HasSubstr("zmm"));
  EXPECT_THAT(probe_for("vaddps %ymm1, %ymm2, %ymm3"), Not(HasSubstr("zmm")));
}

TEST(ModelOfTheProcessor, TheBodyIsRepeatedAndItsJumpsLeadNowhereElse) {
  CodeReport report;
  add_code(read_disassembly(fixture_text("kernel_att.objdump")).value(), 0, report);
  std::string why_not;
  const std::string body = mca_input(report, *report.hottest(), why_not);
  EXPECT_EQ(why_not, "");
  EXPECT_TRUE(body.starts_with(".Lagain:\n  vmovups ")) << body;
  EXPECT_TRUE(body.ends_with("  jne .Lagain\n")) << body;
  EXPECT_EQ(body.find('<'), std::string::npos);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(modelled_code(report, *report.hottest()).size()),
            std::count(body.begin(), body.end(), '\n') - 1)
      << "an instruction a line, and the label";
  EXPECT_EQ(mca_input(report, report.loops.front(), why_not), "");
  EXPECT_EQ(why_not, "it is around another loop");
  CodeReport intel;
  add_code(read_disassembly(fixture_text("kernel_intel.objdump")).value(), 0, intel);
  EXPECT_THAT(mca_input(intel, *intel.hottest(), why_not), testing::StartsWith(".intel_syntax noprefix\n"));
}

}  // namespace
}  // namespace fuselab::profile
