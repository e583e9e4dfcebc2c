// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/backend/backend.h"
#include "core/tensor/tensor.h"

namespace fuselab::testing {

// What came of running one kernel against the reference.
struct Trial {
  bool passed = false;
  std::string detail;  // the first outlier, the broken fence, or the signal that ended it
};

// Compiles source text as it stands, for the processor's own target.
Result<CompiledKernel> compile_text(FusionBackend& backend, SourceModule source, const LaunchConfig& config, const Target& target);

// Runs the kernel on each kind of input in a process of its own, so that a touched guard page is a finding. Outputs are
// poisoned, and every input is launched twice: what a launch leaves behind must not change the next.
Trial try_kernel(const Graph& graph, const CompiledKernel& kernel, std::span<const InputSpec> specs);

// The command that measures the kernel again, and verifies it first.
std::string repro(const Graph& graph, const LaunchConfig& config, const Target& target);

}  // namespace fuselab::testing
