// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/recorded_flags.h"

#include <gtest/gtest.h>

#include "backends/native/compiler/host_compiler.h"

namespace fuselab::cpu {
namespace {

TEST(RecordedFlags, AreWhatFuselabCompilesWith) {
  HostCompiler compiler(default_compilers());
  for (const char* target : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    for (const OptimizationLevel level :
         {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO2, OptimizationLevel::kO3}) {
      const std::string flags = compiler.flags({target, "x86-64", {}}, level);
      EXPECT_TRUE(check_recorded_flags(flags).ok()) << flags;
    }
  }
}

TEST(RecordedFlags, AreNothingElse) {
  for (const char* flag : {"-fplugin=evil", "-specs=evil", "-o", "/etc/passwd", "@file", "-Wl,-z,x", "-include", "-wrapper", "-B.",
                           "-march=native", "-fdump-tree-all", "-I/", "-O3;x"}) {
    const Status refused = check_recorded_flags(std::string("-std=c11 ") + flag + " -shared");
    ASSERT_FALSE(refused.ok()) << flag;
    EXPECT_EQ(refused.error().message, "this Fuselab compiles nothing with the recorded flag '" + std::string(flag) + "'");
  }
}

}  // namespace
}  // namespace fuselab::cpu
