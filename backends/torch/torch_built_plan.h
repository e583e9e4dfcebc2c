// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/host/guarded_memory.h"
#include "backends/torch/torch_library.h"

namespace fuselab::torch {

// A plan with the memory between its calls. Must be destroyed before its library. Used by one thread.
class TorchBuiltPlan final : public library::HostPlan {
 public:
  static Result<std::unique_ptr<library::HostPlan>> build(std::shared_ptr<TorchLibrary> library, TorchPlan plan);

  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;
  std::string remarks() const override { return remarks_on(plan_); }

 private:
  TorchBuiltPlan(std::shared_ptr<TorchLibrary> library, TorchPlan plan) : library_(std::move(library)), plan_(std::move(plan)) {}

  std::shared_ptr<TorchLibrary> library_;
  TorchPlan plan_;
  std::vector<host::GuardedMemory> kept_;
};

}  // namespace fuselab::torch
