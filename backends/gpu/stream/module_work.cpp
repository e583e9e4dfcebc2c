// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/module_work.h"

#include "backends/gpu/stream/loaded_module.h"

namespace fuselab::gpu::stream {
namespace {

// A function and how it is launched.
struct Step {
  abi::Function function;
  LaunchShape shape;
};

class ModuleWork final : public StreamWork {
 public:
  ModuleWork(DeviceContext& context, LoadedModule module, std::vector<Step> steps)
      : context_(context), module_(std::move(module)), counter_(module_.wrong_index()), steps_(std::move(steps)) {}

  Status enqueue(std::vector<abi::DevicePointer>& addresses) override {
    std::vector<void*> pointers;
    for (abi::DevicePointer& address : addresses) pointers.push_back(&address);
    for (const Step& step : steps_) FL_TRY_VOID(launch(context_, step.function, step.shape, pointers));
    return {};
  }
  std::optional<abi::DevicePointer> index_counter() const override { return counter_; }

 private:
  DeviceContext& context_;
  LoadedModule module_;
  std::optional<abi::DevicePointer> counter_;
  std::vector<Step> steps_;
};

Result<std::unique_ptr<StreamWork>> load_module(DeviceContext& context, const DeviceInfo& device, const CompiledKernel& kernel) {
  FL_TRY(const LaunchShape shape, shape_of(context.vendor(), kernel, device));
  FL_TRY(LoadedModule module, LoadedModule::load(context, kernel.binary));
  FL_TRY(const abi::Function function, module.function(kernel.abi.entry));
  const auto& calls = context.calls();
  if (shape.dynamic_shared > 0) {
    FL_TRY_VOID(context.check(
        calls.set_function_attribute(function, context.vendor().dynamic_shared, static_cast<int>(shape.dynamic_shared)),
        "asking for " + format_bytes({shape.dynamic_shared}) + " of shared memory"));
  }
  int blocks = 0;
  FL_TRY_VOID(context.check(calls.occupancy(&blocks, function, static_cast<int>(shape.threads()), shape.dynamic_shared),
                            "asking for the kernel's occupancy"));
  if (blocks < 1) return Error{ErrorCode::kUnsupported, "not one block of the kernel fits a multiprocessor of " + device.name};
  std::vector<Step> steps = {{function, shape}};
  FL_TRY(const std::optional<Follower> follower, follower_of(context.vendor(), kernel, device));
  if (follower) {
    FL_TRY(const abi::Function then, module.function(follower->entry));
    steps.push_back({then, follower->shape});
  }
  return std::unique_ptr<StreamWork>(std::make_unique<ModuleWork>(context, std::move(module), std::move(steps)));
}

}  // namespace

WorkLoader module_loader(const Vendor& vendor) {
  return {vendor.binary_format, load_module};
}

}  // namespace fuselab::gpu::stream
