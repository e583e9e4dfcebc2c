// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/backend.h"

namespace fuselab::triton {

// What Triton calls a target: "cuda" and "90", or "hip" and "gfx942".
struct TritonTarget {
  std::string backend, arch;
  std::int64_t warp = 32;
};
// Fails with kUnsupported for a target that Triton compiles nothing for.
Result<TritonTarget> triton_target(const Target& target);

// Writes Triton's Python: the families of text_family.h. Stateless. A text is made for the shapes of its graph, takes nothing but
// pointers, and is the same for every target. Its ABI: grid_x programs, block_x threads, and as parameters the arguments and the
// two scratch buffers that Triton adds, which these kernels do not use. How much shared memory a launch needs, the compiler says.
class TritonGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "triton"; }
  std::string_view version() const override { return "2"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;
};

// Returns the capabilities of the generator, for tables.
BackendCapabilities triton_capabilities();

}  // namespace fuselab::triton
