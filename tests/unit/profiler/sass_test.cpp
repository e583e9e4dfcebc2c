// SPDX-License-Identifier: Apache-2.0
// What is read of recorded SASS: nvdisasm 13.1 of a kernel that NVCC 13.0 compiled for sm_90a with -lineinfo.
#include "profiler/static/sass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/static/loop_report.h"
#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

using testing::ElementsAre;
using testing::Pair;

CodeReport recorded() {
  CodeReport report;
  const auto functions = read_sass(fixture_text("sm_90a.nvdisasm"));
  EXPECT_TRUE(functions.ok());
  if (functions.ok()) add_code(functions.value(), 0, report, InstructionSet::kSass);
  return report;
}

std::vector<std::pair<std::string, int>> pairs_of(const std::vector<WorkCount>& mix) {
  std::vector<std::pair<std::string, int>> pairs;
  for (const WorkCount& each : mix) pairs.emplace_back(each.work, each.instructions);
  return pairs;
}

InstructionKind kind_of_text(const std::string& text) {
  Instruction instruction;
  instruction.text = text;
  instruction.mnemonic = text.substr(0, text.find(' '));
  return sass_kind_of(instruction);
}

TEST(Sass, TheLoopIsCounted) {
  const CodeReport report = recorded();
  ASSERT_EQ(report.loops.size(), 1u) << "the jump to itself behind the end is none";
  const LoopReport& loop = report.loops.front();
  EXPECT_EQ(loop.function, "dot");
  EXPECT_EQ(loop.first, 0xf0);
  EXPECT_EQ(loop.last, 0x1b0);
  EXPECT_EQ(loop.instructions, 13);
  EXPECT_EQ(loop.bytes, 13 * 16);
  EXPECT_EQ(loop.loads, 3);
  EXPECT_EQ(loop.loaded_bytes, 12);
  EXPECT_EQ(loop.fused_multiply_adds, 1);
  EXPECT_EQ(loop.flops, 3);
  EXPECT_EQ(loop.spill_loads + loop.spill_stores, 0);
  EXPECT_EQ(loop.vector_registers, 9);
  EXPECT_EQ(loop.general_registers, 2) << "UR6 and UR8";
  EXPECT_EQ(loop.lines, (std::vector<std::pair<int, int>>{{5, 7}}));
  EXPECT_THAT(pairs_of(loop.mix),
              ElementsAre(Pair("integer", 6), Pair("global load", 3), Pair("fp32", 2), Pair("control", 1), Pair("move", 1)));
}

TEST(Sass, TheWholeFunctionIsCounted) {
  const CodeReport report = recorded();
  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions.front().function, "dot");
  EXPECT_EQ(report.functions.front().instructions, 0x340 / 16) << "what pads the end is left out";
  EXPECT_EQ(report.functions.front().mix.front().work, "integer");
}

TEST(Sass, InstructionsAreKnownByTheirWork) {
  const std::pair<const char*, const char*> cases[] = {{"HMMA.16816.F32.BF16 R8, R4, R2, R8", "tensor"},
                                                       {"HGMMA.64x128x16.F32 R24, gdesc[UR4], R24", "tensor"},
                                                       {"LDGSTS.E.BYPASS.128 [R5], desc[UR6][R2.64]", "async copy"},
                                                       {"UTMALDG.2D [UR8], [UR4]", "async copy"},
                                                       {"LDSM.16.M88.4 R4, [R8]", "shared load"},
                                                       {"LDL.64 R2, [R1+0x8]", "local load"},
                                                       {"STL [R1], R0", "local store"},
                                                       {"MUFU.RSQ R0, R0", "special"},
                                                       {"SHFL.BFLY PT, R3, R0, 0x1, 0x1f", "shuffle"},
                                                       {"HFMA2.MMA R0, -RZ, RZ, 0, 0", "move"},
                                                       {"HFMA2 R0, R1, R2, R3", "fp16"},
                                                       {"F2FP.BF16.F32.PACK_AB R0, R1, R2", "conversion"},
                                                       {"RED.E.ADD.F32.FTZ.RN [R2.64], R5", "atomic"},
                                                       {"REDUX.SUM UR4, R0", "shuffle"},
                                                       {"ULEA UR4, UR5, UR4, 0x18", "uniform"},
                                                       {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0", "barrier"},
                                                       {"QUITE.NEW R0", "other"}};
  for (const auto& [text, work] : cases) EXPECT_EQ(kind_of_text(text).work, work) << text;
}

// A thread's share: a warp has 32 threads, a warp group 128.
TEST(Sass, MatrixInstructionsCountAThreadsShare) {
  EXPECT_EQ(kind_of_text("HMMA.16816.F32.BF16 R8, R4, R2, R8").flops, 2.0 * 16 * 8 * 16 / 32);
  EXPECT_EQ(kind_of_text("IMMA.16832.S8.S8 R8, R4, R2, R8").flops, 2.0 * 16 * 8 * 32 / 32);
  EXPECT_EQ(kind_of_text("HGMMA.64x128x16.F32 R24, gdesc[UR4], R24").flops, 2.0 * 64 * 128 * 16 / 128);
  EXPECT_EQ(kind_of_text("UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8]").flops, 0) << "its descriptor has the shape";
}

TEST(Sass, AccessesHaveTheirWidth) {
  EXPECT_EQ(kind_of_text("LDG.E.128.CONSTANT R4, desc[UR6][R2.64]").access_bytes, 16);
  EXPECT_EQ(kind_of_text("LDS.64 R4, [R2]").access_bytes, 8);
  EXPECT_EQ(kind_of_text("STG.E.U16 desc[UR6][R2.64], R0").access_bytes, 2);
  EXPECT_TRUE(kind_of_text("STL [R1], R0").in_frame);
  EXPECT_TRUE(kind_of_text("STL [R1], R0").stores);
}

TEST(Sass, WhatIsNoneIsRefused) {
  EXPECT_FALSE(read_sass("").ok());
  EXPECT_FALSE(read_sass("nvdisasm fatal   : kernel is not a supported Elf file\n").ok());
  EXPECT_FALSE(read_sass(".section .text.k,\"ax\"\n/*zz*/ MOV R0, R1 ;\n/*0000").ok());
  EXPECT_TRUE(read_sass("\t.section\t.text.k,\"ax\"\n        /*0000*/  BRA `(.L_nowhere) ;").ok());
}

}  // namespace
}  // namespace fuselab::profile
