// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/host/omp_team.h"
#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/torch/abi/torch_abi.h"
#include "backends/torch/torch_plan.h"

namespace fuselab::torch {

// PyTorch's kernels for processors, opened without Python. They compute with the threads of the OpenMP that was loaded with it.
// Stays loaded for the process. Used by one thread.
class TorchLibrary final : public library::HostLibrary, public std::enable_shared_from_this<TorchLibrary> {
 public:
  // Looks for libtorch_cpu.so, also in Python's packages ($FUSELAB_LIB_TORCH overrides).
  // Fails with kUnavailable and one line where there is none, where a library that it needs is missing, or one older than 2.10.
  static Result<std::shared_ptr<TorchLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& asked) override;
  // Turns gradients off, too: PyTorch keeps them for each thread.
  Status use_threads(int threads) override;
  std::optional<int> caller_cpu() const override;
  void settle(int) override { team_.let_others_sleep(); }

  const abi::Functions& calls() const { return calls_; }
  std::uint64_t version() const { return version_; }
  // Returns the number that PyTorch has for an element type.
  std::int32_t number_of(DType dtype) const { return numbers_.at(dtype); }
  // Returns the address of a C++ function that a schema names.
  Result<void*> function(const Schema& schema) const;
  // Returns success, or an error with the action and the library's words in one line.
  Status check(abi::Code code, const std::string& what) const;

 private:
  TorchLibrary() = default;
  Result<TorchPlan> plan_for(const Graph& graph) const;

  abi::Functions calls_{};
  loading::OpenedLibrary opened_;
  std::uint64_t version_ = 0;
  std::map<DType, std::int32_t> numbers_;
  host::OmpTeam team_;
  int threads_ = 0;
  library::LibraryFacts facts_;
};

// Returns words of a library as one line of bearable length.
std::string one_line(std::string words);

}  // namespace fuselab::torch
