// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/compile_log.h"

#include <gtest/gtest.h>

namespace fuselab::cuda {
namespace {

TEST(CompileLog, ReadsTheKernelsOwnLines) {
  constexpr const char* kLog =
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'other' for 'sm_90'\n"
      "ptxas info    : Used 99 registers, used 1 barriers, 4096 bytes smem\n"
      "ptxas info    : Compiling entry function 'mine' for 'sm_90'\nptxas info    : Function properties for mine\n"
      "ptxas         .     440 bytes stack frame, 812 bytes spill stores, 884 bytes spill loads\n"
      "ptxas info    : Used 64 registers, used 0 barriers, 440 bytes cumulative stack size\n";
  EXPECT_EQ(resources_in_log(kLog, "mine"),
            (ResourceUsage{
                {"registers", 64}, {"shared_bytes", 0}, {"spill_bytes", 812}, {"spill_load_bytes", 884}, {"stack_bytes", 440}}));
  EXPECT_EQ(resources_in_log(kLog, "other"), (ResourceUsage{{"registers", 99}, {"shared_bytes", 4096}}));
  EXPECT_EQ(resources_in_log(kLog, "nobody"), ResourceUsage());
  EXPECT_EQ(resources_in_log("", "mine"), ResourceUsage());
}

}  // namespace
}  // namespace fuselab::cuda
