// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/execute/execution_graph.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

struct OutputSummary {
  std::string name;
  TensorType type;
  double minimum = 0, maximum = 0, mean = 0;  // of the finite values
  std::int64_t not_finite = 0;
  std::string hash;  // SHA-256 of the output's bytes, hex
  std::string file;  // where it was saved; the array file where both were asked for
};

// The outputs of a run, whose files lie in `folder` (see RuntimeExecutor).
// Returns the bytes of one of them.
Result<std::vector<std::byte>> output_bytes(const ExecutionGraph& graph, const std::filesystem::path& folder, std::size_t index);
// Returns all of them, and appends what they hold to `summaries`.
Result<std::vector<RealTensor>> read_outputs(const ExecutionGraph& graph, const std::filesystem::path& folder,
                                             std::vector<OutputSummary>& summaries);
// Writes each into another folder, packed: "output-0.bin".
Status save_outputs(const ExecutionGraph& graph, const std::filesystem::path& folder, const std::filesystem::path& into,
                    std::vector<OutputSummary>& summaries);
// Does the same with NumPy's array files: "NAME.npy". Types that NumPy lacks stay packed.
Status save_arrays(const ExecutionGraph& graph, const std::filesystem::path& folder, const std::filesystem::path& into,
                   std::vector<OutputSummary>& summaries);

}  // namespace fuselab::engine
