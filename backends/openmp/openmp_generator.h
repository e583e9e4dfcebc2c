// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/native/cpu_generator.h"
#include "core/backend/backend.h"

namespace fuselab::openmp {

// The cpu backend's C, with its tasks shared out by OpenMP instead of our thread pool: schedule, chunk and binding of threads are
// parameters beside the kernel's own. The kernel is called as one task, in which it opens its parallel region. Stateless.
class OpenMpGenerator final : public CodeGenerator {
 public:
  std::string_view id() const override { return "openmp-c"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

 private:
  cpu::CpuGenerator kernels_;
};

}  // namespace fuselab::openmp
