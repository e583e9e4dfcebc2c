// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "tests/device/primitives/primitive_case.h"

namespace fuselab::primitives {

// The cases of CUDA's devices, and those of AMD's, with inputs, still without results, in the order in which a device is to be
// asked: what others build on comes first. `texts` is the folder of the kernels' texts.
Result<std::vector<PrimitiveCase>> primitive_cases(const std::filesystem::path& texts);
Result<std::vector<PrimitiveCase>> amd_cases(const std::filesystem::path& texts);

// Runs a case on the SIMT executor and keeps what it gives. Fails with what the executor finds, and where the order of threads
// decides about the result.
Status expect_as_executed(PrimitiveCase& one);

}  // namespace fuselab::primitives
