// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "backends/library/host/host_library.h"
#include "backends/torch/torch_functions.h"

namespace fuselab::torch {

// Where tensors lie, as PyTorch numbers devices.
struct Place {
  std::int32_t kind = abi::kCpu;
  std::int32_t index = 0;
};

// The calls of a plan with their tensors in place. Must be destroyed before its plan and the functions. Used by one thread.
class BoundCalls final : public library::BoundPlan {
 public:
  // `memory` is where the plan's places lie, in order. Fails with PyTorch's reason.
  static Result<std::unique_ptr<BoundCalls>> bind(const TorchFunctions& torch, const TorchPlan& plan,
                                                  std::span<std::byte* const> memory, Place place = {});
  BoundCalls(const BoundCalls&) = delete;
  BoundCalls& operator=(const BoundCalls&) = delete;
  ~BoundCalls() override;

  Status run() override;
  // PyTorch gives a result that does not fit other extents or other memory, and says nothing.
  Status check_results() override;

 private:
  BoundCalls(const TorchFunctions& torch, const TorchPlan& plan) : torch_(torch), plan_(plan), calls_(torch.calls()) {}

  Status show(const PlanTensor& tensor, std::byte* memory, Place place);
  Status check(abi::Code code, const std::string& what) const { return torch_.check(code, what); }
  abi::Handle handle(Ref ref) const { return handles_[static_cast<std::size_t>(ref.tensor)]; }
  Result<abi::Word> reference(Ref ref) const;
  Result<abi::Word> boxed(abi::Word word) const;
  template <typename Element>
  Result<abi::Word> list(const std::vector<Element>& elements, bool may_lack = false) const;
  Result<abi::Word> text(const char* words) const;
  Result<abi::Word> pack(char letter, const Argument& argument) const;
  Status dispatch(const Call& call) const;
  Status copy(int to, abi::Handle from) const;
  Status call(const Call& call) const;

  const TorchFunctions& torch_;
  const TorchPlan& plan_;
  const abi::Functions& calls_;
  std::vector<abi::Handle> handles_;  // one a tensor of the plan
  std::vector<void*> data_;
};

}  // namespace fuselab::torch
