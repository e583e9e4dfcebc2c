// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/gpu/stream/device_memory.h"
#include "backends/torch_cuda/torch_cuda_library.h"

namespace fuselab::torch {

// A plan whose calls queue their kernels on the context's stream, with the device memory between them. What PyTorch allocates for
// results that it returns it keeps, so that a run which was made once allocates nothing and can be recorded.
class TorchCudaWork final : public gpu::stream::StreamWork {
 public:
  static Result<std::unique_ptr<gpu::stream::StreamWork>> build(std::shared_ptr<TorchCudaLibrary> library,
                                                                gpu::stream::DeviceContext& context, TorchPlan plan);

  Status enqueue(std::vector<gpu::stream::abi::DevicePointer>& addresses) override;
  // Returns the calls: PyTorch does not say how many kernels one makes.
  int kernels() const override { return static_cast<int>(plan_.calls.size()); }

 private:
  TorchCudaWork(std::shared_ptr<TorchCudaLibrary> library, gpu::stream::DeviceContext& context, TorchPlan plan)
      : library_(std::move(library)), context_(context), plan_(std::move(plan)) {}
  Status keep_memory();
  Status run(const std::vector<std::byte*>& memory) const;

  std::shared_ptr<TorchCudaLibrary> library_;
  gpu::stream::DeviceContext& context_;
  TorchPlan plan_;
  std::vector<gpu::stream::DeviceMemory> kept_;
};

}  // namespace fuselab::torch
