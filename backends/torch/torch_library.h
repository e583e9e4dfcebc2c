// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backends/host/omp_team.h"
#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/torch/torch_functions.h"

namespace fuselab::torch {

// PyTorch's kernels for processors, opened without Python. They compute with the threads of the OpenMP that was loaded with it.
// Stays loaded for the process. Used by one thread.
class TorchLibrary final : public library::HostLibrary, public TorchFunctions, public std::enable_shared_from_this<TorchLibrary> {
 public:
  // Looks for libtorch_cpu.so, also in Python's packages ($FUSELAB_LIB_TORCH overrides).
  // Fails with kUnavailable and one line where there is none, where a library that it needs is missing, or one older than 2.10.
  static Result<std::shared_ptr<TorchLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override { return torch_capabilities(); }
  Result<library::PlanOutline> outline(const Graph& graph) override { return outline_for(graph); }
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& asked) override;
  // Turns gradients off, too: PyTorch keeps them for each thread.
  Status use_threads(int threads) override;
  std::optional<int> caller_cpu() const override;
  void settle(int) override { team_.let_others_sleep(); }

 private:
  TorchLibrary() = default;

  host::OmpTeam team_;
  int threads_ = 0;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::torch
