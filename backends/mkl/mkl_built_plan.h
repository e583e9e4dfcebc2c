// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/host/packed_copies.h"
#include "backends/library/host/host_library.h"
#include "backends/mkl/chain_run.h"
#include "backends/mkl/mkl_library.h"

namespace fuselab::mkl {

// A plan's calls with the memory between them, packed weights and code written for its extents. Must be destroyed before its
// library.
class MklBuiltPlan final : public library::HostPlan {
 public:
  static Result<std::unique_ptr<library::HostPlan>> build(std::shared_ptr<MklLibrary> library, MklPlan plan,
                                                          const LaunchConfig& config);

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override;

  // For bound plans: `tensors` are the addresses of all, `packed` of packed weights by call, null where there are none.
  Status run(const std::vector<float*>& tensors, const std::vector<const float*>& packed);

 private:
  // One call ready to run; which members are set depends on what it is.
  struct Ready {
    Jitter jitter{nullptr, nullptr};
    abi::JitKernel kernel = nullptr;  // the jitter's
    std::optional<host::PackedCopies> weights;
    std::optional<ChainRun> chain;
  };

  MklBuiltPlan(std::shared_ptr<MklLibrary> library, MklPlan plan) : library_(std::move(library)), plan_(std::move(plan)) {}
  Status make_ready(const LaunchConfig& config);
  void multiply_bytes(const Product& product, const std::vector<float*>& tensors, const std::int32_t* sums) const;
  void multiply(const Product& product, const Ready& ready, const std::vector<float*>& tensors, const float* packed) const;

  std::shared_ptr<MklLibrary> library_;
  MklPlan plan_;
  int threads_ = 1;
  std::vector<host::GuardedMemory> kept_;
  std::vector<Ready> ready_;
};

}  // namespace fuselab::mkl
