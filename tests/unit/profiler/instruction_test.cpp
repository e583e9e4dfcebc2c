// SPDX-License-Identifier: Apache-2.0
// What single instructions do, in both syntaxes of the disassembler.
#include <gtest/gtest.h>

#include "profiler/static/instruction.h"

namespace fuselab::profile {
namespace {

InstructionKind kind(const std::string& text, bool frame_pointer = false) {
  Instruction instruction;
  read_instruction_text(text, instruction);
  return kind_of(instruction, frame_pointer);
}

TEST(Instructions, AFusedMultiplyAddOfEightLanesIsSixteenOperationsInEitherSyntax) {
  for (const char* text : {"vfmadd231ps (%rax,%rcx,4),%ymm1,%ymm2", "vfmadd231ps ymm2,ymm1,YMMWORD PTR [rax+rcx*4]"}) {
    const InstructionKind found = kind(text);
    EXPECT_TRUE(found.is_fused_multiply_add) << text;
    EXPECT_TRUE(found.is_packed) << text;
    EXPECT_TRUE(found.loads) << text;
    EXPECT_FALSE(found.stores) << text;
    EXPECT_EQ(found.access_bytes, 32) << text;
    EXPECT_EQ(found.flops, 16) << text;
    EXPECT_EQ(found.vector_bits, 256) << text;
  }
}

TEST(Instructions, StoresAreToldFromLoadsByTheirDestination) {
  EXPECT_TRUE(kind("vmovups %ymm1,(%rsi)").stores);
  EXPECT_FALSE(kind("vmovups %ymm1,(%rsi)").loads);
  EXPECT_TRUE(kind("vmovups (%rsi),%ymm1").loads);
  EXPECT_TRUE(kind("vmovups YMMWORD PTR [rsi],ymm1").stores);
  EXPECT_TRUE(kind("add %eax,(%rsi)").loads) << "read and written";
  EXPECT_TRUE(kind("add %eax,(%rsi)").stores);
  EXPECT_FALSE(kind("cmp %eax,(%rsi)").stores);
  EXPECT_FALSE(kind("lea 0x8(%rsi),%rax").loads) << "an address, no access";
  EXPECT_FALSE(kind("prefetcht0 0x40(%rsi)").loads);
  EXPECT_TRUE(kind("prefetcht0 0x40(%rsi)").is_prefetch);
}

TEST(Instructions, AccessesAreAsWideAsTheyAre) {
  EXPECT_EQ(kind("vmovss (%rax),%xmm0").access_bytes, 4);
  EXPECT_EQ(kind("vmovsd (%rax),%xmm0").access_bytes, 8);
  EXPECT_EQ(kind("vbroadcastss (%rax),%ymm0").access_bytes, 4);
  EXPECT_EQ(kind("mov (%rax),%rbx").access_bytes, 8);
  EXPECT_EQ(kind("mov (%rax),%r8d").access_bytes, 4);
  EXPECT_EQ(kind("vmovups (%rax),%zmm7").access_bytes, 64);
  EXPECT_EQ(kind("vaddps (%rax){1to16},%zmm1,%zmm2").access_bytes, 4);
}

TEST(Instructions, SpillsAreAccessesToTheFrame) {
  EXPECT_TRUE(kind("vmovaps %ymm3,0x20(%rsp)").in_frame);
  EXPECT_TRUE(kind("vmovaps ymm3,YMMWORD PTR [rsp+0x20]").in_frame);
  EXPECT_TRUE(kind("vmovaps -0x40(%rbp),%ymm3", true).in_frame);
  EXPECT_FALSE(kind("vmovaps -0x40(%rbp),%ymm3", false).in_frame) << "%rbp is any register without a frame pointer";
  EXPECT_FALSE(kind("vmovaps 0x20(%rdi),%ymm3", true).in_frame);
}

TEST(Instructions, ScalarsAreNoVectorsAndCountOneLane) {
  EXPECT_FALSE(kind("vaddss (%rax),%xmm0,%xmm0").is_packed);
  EXPECT_EQ(kind("vaddss (%rax),%xmm0,%xmm0").flops, 1);
  EXPECT_TRUE(kind("vpabsd %ymm0,%ymm1").is_packed) << "packed, though it ends as a scalar of doubles does";
  EXPECT_EQ(kind("vpabsd %ymm0,%ymm1").flops, 0);
  EXPECT_FALSE(kind("vcvtsi2ss %eax,%xmm0,%xmm0").is_packed);
}

TEST(Instructions, WhatAKernelShouldNotHaveIsSeen) {
  EXPECT_TRUE(kind("vdivps %ymm0,%ymm1,%ymm2").is_divide);
  EXPECT_TRUE(kind("vsqrtps %ymm0,%ymm1").is_square_root);
  EXPECT_TRUE(kind("vmovntps %ymm0,(%rdi)").is_nontemporal);
  EXPECT_TRUE(kind("vmovups %ymm0,(%rdi)").is_unaligned);
  EXPECT_FALSE(kind("vmovaps %ymm0,(%rdi)").is_unaligned);
  EXPECT_TRUE(kind("vgatherdps %ymm0,(%rdi,%ymm1,4),%ymm2").is_gather);
  EXPECT_TRUE(kind("call 1030 <memcpy@plt>").is_call);
  EXPECT_TRUE(kind("nopw   0x0(%rax,%rax,1)").is_padding);
  EXPECT_TRUE(kind("xchg   %ax,%ax").is_padding);
}

TEST(Instructions, PrefixesAreNoMnemonicAndCommentsNoOperand) {
  Instruction instruction;
  read_instruction_text("notrack jmp *%rax", instruction);
  EXPECT_EQ(instruction.mnemonic, "jmp");
  EXPECT_FALSE(instruction.target) << "an address that only the run knows";
  read_instruction_text("vmovss 0xeda(%rip),%xmm1        # 2000 <_fini+0xdcc>", instruction);
  EXPECT_EQ(instruction.text, "vmovss 0xeda(%rip),%xmm1");
  instruction = {};
  read_instruction_text("jne    1170 <fuselab_kernel+0x70>", instruction);
  EXPECT_EQ(instruction.target, 0x1170);
}

TEST(Instructions, PartsOfARegisterAreOneRegister) {
  EXPECT_EQ(whole_register("xmm3"), whole_register("zmm3"));
  EXPECT_EQ(whole_register("al"), whole_register("rax"));
  EXPECT_EQ(whole_register("sil"), whole_register("esi"));
  EXPECT_EQ(whole_register("r8d"), whole_register("r8"));
  EXPECT_NE(whole_register("r8"), whole_register("r9"));
}

}  // namespace
}  // namespace fuselab::profile
