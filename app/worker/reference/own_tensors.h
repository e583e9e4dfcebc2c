// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/reference/own_reference.h"
#include "core/reference/reference.h"

namespace fuselab::worker {

// Puts the tensors that the user gave for inputs of an own kernel in the place of made ones. Other graphs stay as they are.
// Fails with kNotFound where the cache does not hold one any more, and with kCorrupt where it is another one.
Status fill_own_inputs(const std::filesystem::path& cache_directory, const Graph& graph,
                       std::vector<std::vector<std::byte>>& packed);

// Returns what the user gave as the outputs of a kernel that has no other reference.
Result<std::vector<ExpectedOutput>> given_outputs(const std::filesystem::path& cache_directory, const OwnKernel& kernel);

}  // namespace fuselab::worker
