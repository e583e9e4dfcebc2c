// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/library/stream/stream_library.h"
#include "backends/loading/vendor_library.h"
#include "backends/torch/torch_functions.h"

namespace fuselab::torch {

// PyTorch's kernels for NVIDIA GPUs, without Python. libtorch_cpu.so, which lies beside them, dispatches its operators; a process
// that only writes plans opens nothing else. Stays loaded for the process. Used by one thread.
class TorchCudaLibrary final : public library::StreamLibrary,
                               public TorchFunctions,
                               public std::enable_shared_from_this<TorchCudaLibrary> {
 public:
  // Looks for libtorch_cuda.so in Python's packages ($FUSELAB_LIB_TORCH_CUDA overrides) and opens the libtorch_cpu.so beside it.
  // Fails with kUnavailable and one line.
  static Result<std::shared_ptr<TorchCudaLibrary>> open(const loading::Surroundings& surroundings);

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override { return torch_capabilities(); }
  Result<library::PlanOutline> outline(const Graph& graph) override { return outline_for(graph); }
  Result<std::string> try_plan(const library::PlanText& plan) override;
  Result<std::unique_ptr<gpu::stream::StreamWork>> build(gpu::stream::DeviceContext& context,
                                                         const library::PlanText& asked) override;

  // Opens libtorch_cuda.so, which registers its kernels in libtorch_cpu.so, with TF32 off for the whole process: of NVIDIA's
  // libraries cuDNN would take it for f32. Call it before the first tensor is made, and only where the driver has a device.
  // Fails with kUnavailable and one line, the same at every call: a missing package of NVIDIA's is named.
  Status load_kernels();
  const abi::StreamFunctions& streams() const { return streams_; }

 private:
  explicit TorchCudaLibrary(std::string kernels) : kernels_(std::move(kernels)) {}
  Status load();

  std::string kernels_;  // the path of libtorch_cuda.so
  abi::StreamFunctions streams_{};
  std::optional<Status> loaded_;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::torch
