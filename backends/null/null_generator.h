// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::null {

inline constexpr std::string_view kPlainTarget = "null-1";
inline constexpr std::string_view kFaultyTarget = "null-faulty";

// Writes scripts. Every graph without an opaque node is supported; on the faulty target the space also holds the faults.
class NullGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "null-script"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

}  // namespace fuselab::null
