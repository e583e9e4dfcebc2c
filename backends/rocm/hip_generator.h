// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::hip {

// Writes C++ for AMD's GPUs that includes nothing, through backends/codegen: the families for many threads (simt_families()), with
// warps as wide as the target's wavefronts. Stateless. A module's text begins with hip_dialect().preamble; its ABI is CUDA's.
class HipGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "hip-simt"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

// Returns the capabilities of the generator, for tables.
BackendCapabilities hip_capabilities(const Target& target);

}  // namespace fuselab::hip
