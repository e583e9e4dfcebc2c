// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/library/graph_library.h"
#include "backends/mkl/chain_run.h"
#include "backends/mkl/mkl_library.h"

namespace fuselab::mkl {

// A plan's calls with the memory between them, packed weights and code written for its extents. Must be destroyed before its
// library.
class MklBuiltPlan final : public library::HostPlan {
 public:
  static Result<std::unique_ptr<MklBuiltPlan>> build(std::shared_ptr<MklLibrary> library, MklPlan plan, const LaunchConfig& config);
  ~MklBuiltPlan() override;

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override;

  // For bound plans: `tensors` are the addresses of all, `packed` of packed weights by call, null where there are none.
  Status run(const std::vector<float*>& tensors, const std::vector<const float*>& packed);

 private:
  enum class Way { kPlain, kPacked, kJit };
  struct Packed {
    host::GuardedMemory memory;
    std::uint64_t version = 0;  // of the weights that were packed last
  };
  // One call ready to run; which members are set depends on what it is.
  struct Ready {
    Way way = Way::kPlain;
    void* jitter = nullptr;
    abi::JitKernel kernel = nullptr;
    std::map<const std::byte*, Packed> copies;  // by address of the plain weights
    std::optional<ChainRun> chain;
  };

  MklBuiltPlan(std::shared_ptr<MklLibrary> library, MklPlan plan) : library_(std::move(library)), plan_(std::move(plan)) {}
  Status make_ready(const LaunchConfig& config);
  Result<const float*> pack(const Product& product, Ready& ready, std::byte* from, std::uint64_t version);
  void multiply(const Product& product, const Ready& ready, const std::vector<float*>& tensors, const float* packed) const;

  std::shared_ptr<MklLibrary> library_;
  MklPlan plan_;
  int threads_ = 1;
  std::vector<std::optional<host::GuardedMemory>> kept_;
  std::vector<Ready> ready_;
};

}  // namespace fuselab::mkl
