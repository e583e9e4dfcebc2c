// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gpu/stream/device_context.h"
#include "core/backend/device_runtime.h"

namespace fuselab::gpu::stream {

// A loaded module. Owns it; must be destroyed before its context.
class LoadedModule {
 public:
  static Result<LoadedModule> load(DeviceContext& context, const KernelBinary& binary);
  LoadedModule(LoadedModule&& other) noexcept : context_(other.context_), module_(std::exchange(other.module_, nullptr)) {}
  LoadedModule& operator=(LoadedModule&&) = delete;
  ~LoadedModule();

  Result<abi::Function> function(const std::string& name) const;
  // Returns where the module counts indices out of range (fuselab_wrong_index); nothing: it has no index.
  std::optional<abi::DevicePointer> wrong_index() const;

 private:
  explicit LoadedModule(DeviceContext& context) : context_(&context) {}

  DeviceContext* context_;
  abi::Module module_ = nullptr;
};

// The shape of a function's launch.
struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned dynamic_shared = 0;
  unsigned cluster = 1;  // blocks along x that run together
  std::int64_t threads() const { return std::int64_t{block[0]} * block[1] * block[2]; }
};

// Launches on the context's stream with pointers to the parameters.
Status launch(DeviceContext& context, abi::Function function, const LaunchShape& shape, std::vector<void*> parameters);

// Prepares the function for launches of this shape: more shared memory than without asking.
// Fails with kUnsupported and the reason where not one block, or not one cluster of blocks, fits the device.
Status prepare_launches(DeviceContext& context, abi::Function function, const LaunchShape& shape, const DeviceInfo& device);

// A kernel of a module, and how it is launched.
struct KernelLaunch {
  std::string entry;
  LaunchShape shape;
};

// Returns the launches that one run consists of, in order, checked against the binary and the device's limits.
// Fails with kUnsupported and the reason where one of them would not run.
Result<std::vector<KernelLaunch>> launches_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device);

}  // namespace fuselab::gpu::stream
