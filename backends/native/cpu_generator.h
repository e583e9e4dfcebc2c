// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::cpu {

// Writes C with vector extensions for x86-64 and aarch64 targets through backends/codegen. Stateless.
class CpuGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "cpu-c"; }
  std::string_view version() const override { return "2"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

// Returns the capabilities of the generator, for tables.
BackendCapabilities cpu_capabilities();

}  // namespace fuselab::cpu
