// SPDX-License-Identifier: Apache-2.0
// What is counted of the loops of recorded kernels.
#include "profiler/static/loop_report.h"

#include <gtest/gtest.h>

#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

CodeReport report_of(const std::string& fixture) {
  CodeReport report;
  const auto functions = read_disassembly(fixture_text(fixture));
  EXPECT_TRUE(functions.ok());
  if (functions.ok()) add_code(functions.value(), 0, report);
  return report;
}

TEST(LoopReports, TheVectorLoopIsCounted) {
  const CodeReport report = report_of("kernel_att.objdump");
  const LoopReport* const hottest = report.hottest();
  ASSERT_NE(hottest, nullptr);
  EXPECT_EQ(hottest->first, 0x1170);
  EXPECT_EQ(hottest->instructions, 6);
  EXPECT_EQ(hottest->fused_multiply_adds, 1);
  EXPECT_EQ(hottest->loaded_bytes, 64);
  EXPECT_EQ(hottest->stored_bytes, 32);
  EXPECT_EQ(hottest->widest_vector_bits, 256);
  EXPECT_EQ(hottest->vector_registers, 2);
  EXPECT_EQ(hottest->unaligned, 2);
  EXPECT_EQ(hottest->flops, 16);
  EXPECT_EQ(hottest->spill_loads + hottest->spill_stores, 0);
  EXPECT_EQ(hottest->lines, (std::vector<std::pair<int, int>>{{7, 7}}));
}

// 20 accumulators of 16 registers (gcc 12.2 -O3 -march=x86-64-v3, stripped).
TEST(LoopReports, SpillsOfATileThatIsTooLargeAreCounted) {
  const CodeReport report = report_of("spilling.objdump");
  const LoopReport* const hottest = report.hottest();
  ASSERT_NE(hottest, nullptr);
  EXPECT_EQ(hottest->fused_multiply_adds, 20);
  EXPECT_EQ(hottest->flops, 320);
  EXPECT_EQ(hottest->vector_registers, 16);
  EXPECT_EQ(hottest->spill_stores, 7);
  EXPECT_EQ(hottest->spill_loads, 7);
}

TEST(LoopReports, SamplesMakeALoopTheHottest) {
  CodeReport report = report_of("kernel_att.objdump");
  add_hits({{0, 0x11a1, 900}, {0, 0x1170, 10}, {0, 0x9999, 5}, {1, 0x1170, 7}}, report);
  const LoopReport* hottest = report.hottest();
  ASSERT_NE(hottest, nullptr);
  EXPECT_NE(hottest->first, 0x1198) << "0x11a1 begins no instruction, so nobody was seen there";
  EXPECT_EQ(hottest->hits, 10);
  const std::int64_t second = report.loops[3].first;
  add_hits({{0, second, 900}}, report);
  EXPECT_EQ(report.hottest()->first, second);
  EXPECT_EQ(report.hottest()->hits, 900);
}

TEST(LoopReports, ABinaryWithoutLoopsHasNone) {
  CodeReport report;
  const auto functions = read_disassembly(
      "0000000000001100 <f>:\n    1100:\t48 89 c8             \tmov    %rcx,%rax\n    1103:\tc3                   \tret\n");
  ASSERT_TRUE(functions.ok());
  add_code(functions.value(), 0, report);
  EXPECT_TRUE(report.loops.empty());
  EXPECT_EQ(report.hottest(), nullptr);
  EXPECT_EQ(report.code.size(), 2U);
}

// A GPU's functions all begin at address 0.
TEST(LoopReports, InstructionsOfTwoFunctionsStayApart) {
  CodeReport report;
  Instruction instruction;
  instruction.address = 0x10;
  instruction.text = instruction.mnemonic = "EXIT";
  const std::vector<DisassembledFunction> functions = {{"first", {instruction}}, {"second", {instruction}}};
  add_code(functions, 0, report, InstructionSet::kSass);
  add_hits({{0, 0x10, 7, "second"}, {0, 0x10, 1, "third"}}, report);
  ASSERT_EQ(report.code.size(), 2U);
  EXPECT_EQ(report.code[0].function, "first");
  EXPECT_EQ(report.code[0].hits, 0);
  EXPECT_EQ(report.code[1].function, "second");
  EXPECT_EQ(report.code[1].hits, 7);
}

}  // namespace
}  // namespace fuselab::profile
