// SPDX-License-Identifier: Apache-2.0
// What goes into llvm-mca and what comes out of it (recorded: LLVM 14.0.6, -mcpu=znver3).
#include <gmock/gmock.h>

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
  EXPECT_EQ(mca_input(report, report.loops.front(), why_not), "");
  EXPECT_EQ(why_not, "it is around another loop");
  CodeReport intel;
  add_code(read_disassembly(fixture_text("kernel_intel.objdump")).value(), 0, intel);
  EXPECT_THAT(mca_input(intel, *intel.hottest(), why_not), testing::StartsWith(".intel_syntax noprefix\n"));
}

}  // namespace
}  // namespace fuselab::profile
