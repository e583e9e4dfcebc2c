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
  std::int64_t threads() const { return std::int64_t{block[0]} * block[1] * block[2]; }
};

// Launches on the context's stream; every argument is a pointer.
Status launch(DeviceContext& context, abi::Function function, const LaunchShape& shape, std::vector<void*> arguments);

// Returns the kernel's shape on a device, checked against its binary and the device's limits.
// Fails with kUnsupported and the reason where it would not run.
Result<LaunchShape> shape_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device);

// The kernel that is launched behind it, if the module has one: its name and shape.
struct Follower {
  std::string entry;
  LaunchShape shape;
};
Result<std::optional<Follower>> follower_of(const Vendor& vendor, const CompiledKernel& kernel, const DeviceInfo& device);

}  // namespace fuselab::gpu::stream
