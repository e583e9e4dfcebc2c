// SPDX-License-Identifier: Apache-2.0
// The built-in workloads W1-W14 are fused kernels: each is one piece (RoPE turns q and k by the same one), or its title says
// at which level it is.
#include <gtest/gtest.h>

#include "core/fusion/fusion_engine.h"
#include "core/graph/workload.h"

namespace fuselab {
namespace {

std::size_t pieces_of(const Workload& workload, OptimizationLevel level) {
  Result<Graph> const graph = instantiate(workload, {}, workload.default_dtype);
  EXPECT_TRUE(graph.ok()) << workload.id;
  Result<FusionResult> const fused = fuse(graph.value(), options_for(level));
  EXPECT_TRUE(fused.ok()) << workload.id;
  return deduplicate(fused.value().operations).size();
}

TEST(WorkloadPieces, AreOneUnlessTheTitleNamesALevel) {
  int looked = 0;
  for (const Workload& workload : builtin_workloads()) {
    if (workload.id.front() != 'w') continue;
    bool const needs_o3 = workload.title.find("one kernel at O3") != std::string::npos;
    EXPECT_EQ(pieces_of(workload, OptimizationLevel::kO2) == 1, !needs_o3) << workload.id;
    EXPECT_EQ(pieces_of(workload, OptimizationLevel::kO3), 1U) << workload.id;
    ++looked;
  }
  EXPECT_GE(looked, 21);
}

}  // namespace
}  // namespace fuselab
