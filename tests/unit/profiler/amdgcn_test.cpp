// SPDX-License-Identifier: Apache-2.0
// What is read of recorded machine code of AMD's: llvm-objdump 22.1.8 of a product of 32×32 tiles that Triton 3.9 compiled for
// gfx942.
#include "profiler/static/amdgcn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/static/loop_report.h"
#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

using testing::ElementsAre;

CodeReport recorded_product() {
  CodeReport report;
  const auto functions = read_amdgcn(fixture_text("gfx942.objdump"));
  EXPECT_TRUE(functions.ok());
  if (functions.ok()) add_code(functions.value(), 0, report, InstructionSet::kAmdgcn);
  return report;
}

std::vector<std::string> words_of_mix(const std::vector<WorkCount>& mix) {
  std::vector<std::string> words;
  for (const WorkCount& each : mix) words.push_back(std::to_string(each.instructions) + " " + each.work);
  return words;
}

InstructionKind amdgcn_kind_of_text(const std::string& text) {
  Instruction instruction;
  instruction.text = text;
  instruction.mnemonic = text.substr(0, text.find(' '));
  return amdgcn_kind_of(instruction);
}

TEST(Amdgcn, TheLoopIsCounted) {
  const CodeReport report = recorded_product();
  ASSERT_EQ(report.loops.size(), 1u) << "jumps forward are none";
  const LoopReport& loop = report.loops.front();
  EXPECT_EQ(loop.function, "product");
  EXPECT_EQ(loop.first, 0x1888);
  EXPECT_EQ(loop.last, 0x19dc) << "its jump's words are printed as 16 bits without a sign";
  EXPECT_EQ(loop.instructions, 51);
  EXPECT_EQ(loop.bytes, 344);
  EXPECT_EQ(loop.loads, 12);
  EXPECT_EQ(loop.loaded_bytes, 4 * 16 + 8 * 8);
  EXPECT_EQ(loop.stores, 6);
  EXPECT_EQ(loop.stored_bytes, 2 * 16 + 4 * 8) << "write2 has two operands";
  EXPECT_EQ(loop.flops, 4 * 2 * 32 * 32 * 8 / 64);
  EXPECT_EQ(loop.spill_loads + loop.spill_stores, 0);
  EXPECT_EQ(loop.lines, (std::vector<std::pair<int, int>>{{10, 13}}));
  EXPECT_THAT(words_of_mix(loop.mix), ElementsAre("8 integer", "8 move", "8 shared load", "8 wait", "6 shared store",
                                                  "4 global load", "4 scalar", "4 tensor", "1 control"));
}

TEST(Amdgcn, TheWholeFunctionIsCountedWithoutPadding) {
  const CodeReport report = recorded_product();
  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions.front().instructions, 166);
  EXPECT_EQ(report.functions.front().bytes, 912);
  EXPECT_EQ(report.code.size(), 223u) << "what fills up behind the end is left out";
  EXPECT_EQ(report.code.back().text, "s_endpgm");
}

TEST(Amdgcn, WhatAnInstructionWorksOn) {
  const std::pair<const char*, const char*> rows[] = {{"v_fma_f32 v0, v1, v2, v3", "fp32"},
                                                      {"v_pk_mul_f16 v0, v1, v2", "fp16"},
                                                      {"v_add_f64 v[0:1], v[2:3], v[4:5]", "fp64"},
                                                      {"v_add_u32_e32 v0, 1, v0", "integer"},
                                                      {"v_exp_f32_e32 v2, v2", "special"},
                                                      {"v_cvt_f16_f32_e32 v2, v2", "conversion"},
                                                      {"v_accvgpr_write_b32 a0, v1", "move"},
                                                      {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", "tensor"},
                                                      {"s_load_dwordx4 s[4:7], s[0:1], 0x8", "constant"},
                                                      {"s_waitcnt vmcnt(0)", "wait"},
                                                      {"s_wait_loadcnt 0x0", "wait"},
                                                      {"s_barrier", "barrier"},
                                                      {"s_cbranch_execz 15", "control"},
                                                      {"s_add_i32 s0, s0, 32", "scalar"},
                                                      {"buffer_load_dword v0, v1, s[4:7], 0 offen", "global load"},
                                                      {"buffer_load_dword v0, s[4:7], 0 offen lds", "async copy"},
                                                      {"global_atomic_add_f32 v0, v1, s[0:1]", "atomic"},
                                                      {"ds_bpermute_b32 v0, v1, v2", "shuffle"},
                                                      {"scratch_store_dword off, v1, s32", "local store"},
                                                      {"invented_b32 v0", "other"}};
  for (const auto& [text, work] : rows) EXPECT_EQ(amdgcn_kind_of_text(text).work, work) << text;
}

TEST(Amdgcn, AccessesAndOperationsOfOneThread) {
  EXPECT_EQ(amdgcn_kind_of_text("global_load_dwordx3 v[0:2], v[4:5], off").access_bytes, 12);
  EXPECT_EQ(amdgcn_kind_of_text("ds_load_2addr_b64 v[0:3], v4 offset1:1").access_bytes, 16);
  EXPECT_EQ(amdgcn_kind_of_text("global_load_ushort v0, v[2:3], off").access_bytes, 2);
  EXPECT_EQ(amdgcn_kind_of_text("global_load_d16_b16 v0, v[2:3], off").access_bytes, 2);
  EXPECT_EQ(amdgcn_kind_of_text("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]").flops, 4);
  EXPECT_TRUE(amdgcn_kind_of_text("v_fmac_f32_e32 v0, v1, v2").is_fused_multiply_add);
  EXPECT_EQ(amdgcn_kind_of_text("v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5").flops, 3) << "two operations";
  EXPECT_EQ(amdgcn_kind_of_text("v_cmp_gt_f32_e32 vcc, s3, v2").flops, 0);
  EXPECT_EQ(amdgcn_kind_of_text("v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]").flops, 2.0 * 4 * 4 * 4 * 16 / 64);
  EXPECT_EQ(amdgcn_kind_of_text("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]").flops, 2.0 * 16 * 16 * 16 / 32);
  const InstructionKind spill = amdgcn_kind_of_text("scratch_load_dwordx2 v[0:1], off, s32");
  EXPECT_TRUE(spill.loads && spill.in_frame);
  EXPECT_EQ(spill.access_bytes, 8);
}

TEST(Amdgcn, RegistersOfAThreadAndOfAWavefront) {
  Instruction instruction;
  instruction.text = "v_mfma_f32_4x4x1_16b_f32 a[0:3], v5, v[10:11], a[0:3] s[4:5] vcc off offset:16 s7";
  std::set<std::string> own, uniform;
  add_amdgcn_registers(instruction, own, uniform);
  EXPECT_THAT(own, ElementsAre("a0", "a1", "a2", "a3", "v10", "v11", "v5"));
  EXPECT_THAT(uniform, ElementsAre("s4", "s5", "s7"));
}

TEST(Amdgcn, TextWithoutInstructionsIsRefused) {
  EXPECT_EQ(read_amdgcn("x: file format elf64-amdgpu\n").error().code, ErrorCode::kCorrupt);
  Instruction instruction;
  for (const char* const line :
       {"", "\tv_nop", "\tv_nop // here", "v_nop // 000000001700: 7E000000", "\t // 000000001700: 7E000000"})
    EXPECT_FALSE(read_amdgcn_instruction(line, instruction)) << line;
}

}  // namespace
}  // namespace fuselab::profile
