// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/profile/code_report.h"

namespace fuselab::profile {

// Reads what `llvm-mca -bottleneck-analysis` (LLVM 9 … 22) prints of one block. Fails with kCorrupt where its figures are missing.
Result<LoopPrediction> read_mca_report(std::string_view text);

// The cost of one instruction as the model has it.
struct McaCost {
  int latency = 0;
  double cycles = 0;  // reciprocal throughput
};
// Reads the costs of the block's instructions in their order; empty where they were not printed (-instruction-info).
std::vector<McaCost> read_mca_costs(std::string_view text);

// Reads the version ("22.1.8") and the model of the host's processor ("znver4") from `llvm-mca --version`; empty where it says
// neither.
struct McaVersion {
  std::string version, processor;
};
McaVersion read_mca_version(std::string_view text);

}  // namespace fuselab::profile
