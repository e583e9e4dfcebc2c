// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::opencl {

// Writes OpenCL C 1.2 through backends/codegen: the families for many threads. Stateless.
// A module's ABI: block_x work-items, grid_x work-groups, shared_bytes of local arrays that the text declares itself.
class OpenClGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "opencl-simt"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

// Returns the capabilities of the generator on a target.
BackendCapabilities opencl_capabilities(const Target& target);

}  // namespace fuselab::opencl
