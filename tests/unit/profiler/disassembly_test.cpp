// SPDX-License-Identifier: Apache-2.0
// Recorded listings of one kernel (gcc 12.2 -O3 -march=x86-64-v3 -g1) by GNU objdump 2.40 in both syntaxes and llvm-objdump 14.
#include <gtest/gtest.h>

#include "profiler/static/disassembly.h"
#include "profiler/static/loops.h"
#include "tests/unit/profiler/fixture_text.h"

namespace fuselab::profile {
namespace {

const DisassembledFunction& kernel_in(const std::vector<DisassembledFunction>& functions) {
  return functions.front();
}

TEST(Disassembly, EveryDisassemblerAndSyntaxTellsTheSameInstructions) {
  const auto att = read_disassembly(fixture_text("kernel_att.objdump"));
  const auto intel = read_disassembly(fixture_text("kernel_intel.objdump"));
  const auto llvm = read_disassembly(fixture_text("kernel_llvm.objdump"));
  ASSERT_TRUE(att.ok() && intel.ok() && llvm.ok());
  for (const auto* other : {&intel.value(), &llvm.value()}) {
    const auto& a = kernel_in(att.value()).code;
    const auto& b = kernel_in(*other).code;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].address, b[i].address);
      EXPECT_EQ(a[i].bytes, b[i].bytes) << a[i].text;
      EXPECT_EQ(a[i].target, b[i].target) << a[i].text;
      EXPECT_EQ(a[i].line, b[i].line) << a[i].text;
      const InstructionKind one = kind_of(a[i], true), two = kind_of(b[i], true);
      EXPECT_EQ(one.loads, two.loads) << a[i].text << " / " << b[i].text;
      EXPECT_EQ(one.stores, two.stores) << a[i].text << " / " << b[i].text;
      EXPECT_EQ(one.flops, two.flops) << a[i].text << " / " << b[i].text;
    }
  }
}

TEST(Disassembly, TheKernelHasItsNameAndTheLinkersFunctionsAreLeftOut) {
  const auto functions = read_disassembly(fixture_text("kernel_att.objdump"));
  ASSERT_TRUE(functions.ok());
  ASSERT_EQ(functions.value().size(), 1U);
  EXPECT_EQ(functions.value()[0].name, "fuselab_kernel");
  EXPECT_EQ(functions.value()[0].code.front().line, 3);
}

TEST(Disassembly, LoopsNestAsTheSourceDoes) {
  const auto functions = read_disassembly(fixture_text("kernel_att.objdump"));
  ASSERT_TRUE(functions.ok());
  const auto loops = find_loops(kernel_in(functions.value()).code);
  ASSERT_EQ(loops.size(), 5U);
  EXPECT_EQ(loops[0].depth, 1);
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[1].parent, 0);
  EXPECT_TRUE(loops[1].innermost);
  EXPECT_EQ(loops[1].depth, 2);
}

TEST(Disassembly, WhatIsNoListingIsRefused) {
  for (const char* text : {"", "\n\n", "kernel.so: file format not recognized\n", "0000 <a>:\nnothing\n", "    1:\tzz\n"}) {
    const auto functions = read_disassembly(text);
    ASSERT_FALSE(functions.ok()) << text;
    EXPECT_EQ(functions.error().code, ErrorCode::kCorrupt);
  }
}

TEST(Disassembly, ACutListingIsReadAsFarAsItGoes) {
  const std::string text = fixture_text("kernel_att.objdump");
  const std::size_t all = read_disassembly(text).value().front().code.size();
  for (std::size_t cut = text.size() / 2; cut < text.size(); cut += 97) {
    const auto functions = read_disassembly(text.substr(0, cut));
    if (!functions.ok()) continue;
    EXPECT_LE(functions.value().front().code.size(), all);
  }
}

}  // namespace
}  // namespace fuselab::profile
