// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/host/omp_team.h"
#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/mkl/abi/mkl_abi.h"
#include "backends/mkl/mkl_plan.h"

namespace fuselab::mkl {

// Intel's MKL, opened: products of matrices (cblas_sgemm and its kin) and vector mathematics. It computes with the threads of GNU's
// OpenMP where there is one, else with the calling thread alone. Stays loaded for the process. Used by one thread.
class MklLibrary final : public library::HostLibrary, public std::enable_shared_from_this<MklLibrary> {
 public:
  // Looks for libmkl_rt.so.3, then .so.2 ($FUSELAB_LIB_MKL overrides).
  // Fails with kUnavailable and one line where there is none, where it is older than 2021, or where it refuses its threads.
  static Result<std::shared_ptr<MklLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& asked) override;
  Status use_threads(int threads) override;
  std::optional<int> caller_cpu() const override;
  void settle(int) override { team_.let_others_sleep(); }

  const abi::Functions& calls() const { return calls_; }
  const loading::OpenedLibrary& opened() const { return opened_; }
  host::OmpTeam& team() { return team_; }

 private:
  MklLibrary() = default;

  abi::Functions calls_{};
  loading::OpenedLibrary opened_;
  host::OmpTeam team_;
  library::LibraryFacts facts_;
};

// Machine code that MKL wrote for a product ("JIT"); null where it writes none.
using Jitter = std::unique_ptr<void, int (*)(void*)>;
Jitter jit(const abi::Functions& calls, const Product& product);

}  // namespace fuselab::mkl
