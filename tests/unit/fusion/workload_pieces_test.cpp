// SPDX-License-Identifier: Apache-2.0
// The built-in workloads are meant to be one fused kernel each: each is one piece (RoPE turns q and k by the same one), or its
// title says at which level it is, or that it is not yet.
#include <gtest/gtest.h>

#include "core/fusion/partition/fusion_engine.h"
#include "core/workloads/workload.h"

namespace fuselab {
namespace {

std::size_t pieces_of(const Workload& workload, OptimizationLevel level) {
  const Result<Graph> graph = instantiate(workload, {}, workload.default_dtype);
  EXPECT_TRUE(graph.ok()) << workload.id;
  FusionOptions options = options_for(level);
  // Only backends say whether they multiply 8-bit numbers as they lie.
  if (workload.title.starts_with("integer matmul")) {
    options.asked = {{"cpu", {}}};
    options.asked.front().limits.multiplies_8_bit = true;
  }
  const Result<FusionResult> fused = fuse(graph.value(), options);
  EXPECT_TRUE(fused.ok()) << workload.id;
  return deduplicate(fused.value().operations).size();
}

TEST(WorkloadPieces, AreOneUnlessTheTitleNamesALevel) {
  int looked = 0;
  for (const Workload& workload : builtin_workloads()) {
    if (workload.id.front() != 'w') continue;
    const bool needs_o3 = workload.title.find("one kernel at O3") != std::string::npos;
    const bool not_yet = workload.title.find("several pieces so far") != std::string::npos;
    EXPECT_EQ(pieces_of(workload, OptimizationLevel::kO2) == 1, !needs_o3 && !not_yet) << workload.id;
    EXPECT_EQ(pieces_of(workload, OptimizationLevel::kO3) == 1, !not_yet) << workload.id;
    ++looked;
  }
  EXPECT_GE(looked, 27);
}

}  // namespace
}  // namespace fuselab
