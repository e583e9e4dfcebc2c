// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/torch_built_plan.h"

#include <algorithm>

#include "backends/torch/bound_calls.h"
#include "core/tensor/tensor.h"

namespace fuselab::torch {

Result<std::unique_ptr<library::HostPlan>> TorchBuiltPlan::build(std::shared_ptr<TorchLibrary> library, TorchPlan plan) {
  std::unique_ptr<TorchBuiltPlan> built(new TorchBuiltPlan(std::move(library), std::move(plan)));
  for (const std::int64_t bytes : built->plan_.kept_bytes) {
    FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({bytes}));
    built->kept_.push_back(std::move(memory));
  }
  for (const PlanNumber& each : built->plan_.numbers) {
    const std::vector<std::byte> bytes = pack({{each.dtype, {}}, {each.value}});
    std::ranges::copy(bytes, built->kept_[static_cast<std::size_t>(each.place - built->plan_.arguments)].data());
  }
  return std::unique_ptr<library::HostPlan>(std::move(built));
}

Result<std::unique_ptr<library::BoundPlan>> TorchBuiltPlan::bind(const library::Places& places) {
  std::vector<std::byte*> memory = places.addresses;
  for (host::GuardedMemory& each : kept_) memory.push_back(each.data());
  FL_TRY(auto bound, BoundCalls::bind(*library_, plan_, memory));
  return std::unique_ptr<library::BoundPlan>(std::move(bound));
}

}  // namespace fuselab::torch
