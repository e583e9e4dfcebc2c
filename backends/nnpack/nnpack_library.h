// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/nnpack/abi/nnpack_abi.h"

namespace fuselab::nnpack {

// NNPACK, alone or as PyTorch's library for processors carries it. It computes with pools of threads of its own, which are not kept
// on processors. Stays loaded for the process. Used by one thread.
class NnpackLibrary final : public library::HostLibrary, public std::enable_shared_from_this<NnpackLibrary> {
 public:
  // Looks for libnnpack.so, then for libtorch_cpu.so, also in Python's packages ($FUSELAB_LIB_NNPACK overrides).
  // Fails with kUnavailable and one line where there is none, or where it does not compute on this processor.
  static Result<std::shared_ptr<NnpackLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& asked) override;
  Status use_threads(int threads) override;
  // The threads of a pool would be kept on its creator's processor.
  std::optional<int> caller_cpu() const override { return std::nullopt; }
  void settle(int threads) override;

  const abi::Functions& calls() const { return calls_; }
  abi::Pool pool() const { return pool_; }  // null: the calling thread alone

 private:
  NnpackLibrary() = default;

  abi::Functions calls_{};
  std::map<int, abi::Pool> pools_;
  abi::Pool pool_ = nullptr;
  int threads_ = 1, awake_ = 1;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::nnpack
