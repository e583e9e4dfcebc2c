// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backends/opencl/device_memory.h"
#include "backends/opencl/opencl_runtime.h"
#include "core/backend/kernel_facts.h"

namespace fuselab::opencl {

// A kernel that is built on its runtime's device, with the shape of its launch.
class OpenClExecutable final : public Executable, public KernelFacts, public IndexCount {
 public:
  // Fails with kUnsupported and the reason where it would not launch on this device.
  static Result<std::unique_ptr<OpenClExecutable>> load(OpenClRuntime& runtime, const CompiledKernel& kernel);

  Status enqueue(std::span<const Buffer> arguments) override;
  std::vector<Metric> facts() const override;
  Result<WrongIndices> wrong_indices() const override;
  // Returns the memory that the kernel gets for these buffers.
  Result<std::vector<abi::Memory>> locate(std::span<const Buffer> arguments) const;
  // Arguments stay bound until the next call.
  Status bind(std::span<const abi::Memory> arguments);
  Status launch(abi::Event* event = nullptr);

 private:
  // Gives the kernel memory to count indices out of range in.
  Status make_counter();
  // Sets what stays the same in every launch: numbers and memory of the work-group. Finds where the arguments go.
  Status set_parameters(const KernelAbi& abi);

  OpenClExecutable(OpenClRuntime& runtime, BuiltProgram program, LoadedKernel kernel, std::size_t arguments)
      : runtime_(runtime), program_(std::move(program)), kernel_(std::move(kernel)), arguments_(arguments) {}

  OpenClRuntime& runtime_;
  BuiltProgram program_;
  LoadedKernel kernel_;
  std::size_t arguments_;
  LaunchShape shape_;
  std::vector<std::size_t> places_;      // of each argument among the entry's parameters
  std::optional<DeviceMemory> counter_;  // resources/kernels/opencl/elements/index.cl; none in a kernel without an index
};

}  // namespace fuselab::opencl
