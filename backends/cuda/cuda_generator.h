// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::cuda {

// Writes CUDA C++ that includes nothing, through backends/codegen: the families for many threads (simt_families()). Stateless.
// A module's text begins with codegen::cuda_prelude(), byte for byte. Its ABI: block_x threads, grid_x blocks (a formula of the
// dimension "multiprocessors" where persistent blocks are requested and the target does not state how many it has), shared_bytes
// of static arrays, which a launch does not request again. Kernels that follow have the same arguments; the ABI lists them, except
// for a single <entry>_fold of one block, which is launched with as many threads as its launch bounds say.
class CudaGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "cuda-simt"; }
  std::string_view version() const override { return "2"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

// Returns the capabilities of the generator, for tables.
BackendCapabilities cuda_capabilities(const Target& target);

}  // namespace fuselab::cuda
