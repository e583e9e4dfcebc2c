// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/profile/code_report.h"

namespace fuselab::profile {

// Reads what `llvm-mca -bottleneck-analysis` (LLVM 9 … 22) prints of one block. Fails with kCorrupt where its figures are missing.
Result<LoopPrediction> read_mca_report(std::string_view text);

// Reads the version ("22.1.8") and the model of the host's processor ("znver4") from `llvm-mca --version`; empty where it says
// neither.
struct McaVersion {
  std::string version, processor;
};
McaVersion read_mca_version(std::string_view text);

}  // namespace fuselab::profile
