// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/module_work.h"

#include "backends/gpu/stream/loaded_module.h"

namespace fuselab::gpu::stream {
namespace {

constexpr abi::DevicePointer kMapAlignment = 16;

// A function and how it is launched.
struct Step {
  abi::Function function;
  LaunchShape shape;
};

// A parameter of an entry that states each of them: the address of a buffer, or a number.
struct PassedParameter {
  int buffer = -1;
  std::vector<std::byte> number;
};

Result<std::vector<PassedParameter>> passed_parameters(const KernelAbi& abi) {
  std::vector<PassedParameter> passed;
  for (const EntryParameter& each : abi.parameters) {
    if (each.buffer >= static_cast<int>(abi.arguments.size()))
      return Error{ErrorCode::kCorrupt, "a parameter of the kernel is argument " + std::to_string(each.buffer) + ", it has " +
                                            std::to_string(abi.arguments.size())};
    passed.push_back({each.buffer, {}});
    if (each.buffer >= 0) continue;
    FL_TRY(passed.back().number, number_bytes(each));
  }
  return passed;
}

class ModuleWork final : public StreamWork {
 public:
  ModuleWork(DeviceContext& context, LoadedModule module, std::vector<Step> steps, const KernelAbi& abi,
             std::vector<PassedParameter> passed)
      : context_(context),
        module_(std::move(module)),
        counter_(module_.wrong_index()),
        steps_(std::move(steps)),
        arguments_(abi.arguments),
        maps_(abi.maps),
        encoded_(abi.maps.size()),
        passed_(std::move(passed)) {}

  Status enqueue(std::vector<abi::DevicePointer>& addresses) override {
    FL_TRY_VOID(encode(addresses));
    std::vector<void*> parameters;
    for (PassedParameter& each : passed_)
      parameters.push_back(each.buffer < 0 ? static_cast<void*>(each.number.data())
                                           : &addresses[static_cast<std::size_t>(each.buffer)]);
    if (passed_.empty()) {
      for (abi::DevicePointer& address : addresses) parameters.push_back(&address);
      for (abi::TensorMapBytes& map : encoded_) parameters.push_back(&map);
    }
    for (const Step& step : steps_) FL_TRY_VOID(launch(context_, step.function, step.shape, parameters));
    return {};
  }
  int kernels() const override { return static_cast<int>(steps_.size()); }
  std::optional<abi::DevicePointer> index_counter() const override { return counter_; }

 private:
  // A launch takes the maps over as they are now, so that the next one may have others.
  Status encode(const std::vector<abi::DevicePointer>& addresses) {
    if (maps_.empty() || addresses == encoded_for_) return {};
    encoded_for_.clear();
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      const auto buffer = static_cast<std::size_t>(maps_[i].buffer);
      const std::string& name = arguments_[buffer].name;
      if (addresses[buffer] % kMapAlignment != 0)
        return invalid_argument("the buffer of '" + name + "' is not aligned to the " + std::to_string(kMapAlignment) +
                                " bytes that its map needs");
      FL_TRY_VOID(context_.check(context_.vendor().encode_map(context_.calls(), maps_[i], addresses[buffer], encoded_[i]),
                                 "describing the buffer of '" + name + "' to the copy engine"));
    }
    encoded_for_ = addresses;
    return {};
  }

  DeviceContext& context_;
  LoadedModule module_;
  std::optional<abi::DevicePointer> counter_;
  std::vector<Step> steps_;
  std::vector<KernelArgument> arguments_;
  std::vector<TensorMapArgument> maps_;
  std::vector<abi::TensorMapBytes> encoded_;
  std::vector<abi::DevicePointer> encoded_for_;  // the addresses that the maps are of
  std::vector<PassedParameter> passed_;          // empty: the addresses in order, then the maps
};

Result<std::unique_ptr<StreamWork>> load_module(DeviceContext& context, const DeviceInfo& device, const CompiledKernel& kernel) {
  FL_TRY(const std::vector<KernelLaunch> launches, launches_of(context.vendor(), kernel, device));
  FL_TRY(LoadedModule module, LoadedModule::load(context, kernel.binary));
  std::vector<Step> steps;
  for (const KernelLaunch& each : launches) {
    FL_TRY(const abi::Function function, module.function(each.entry));
    FL_TRY_VOID(prepare_launches(context, function, each.shape, device));
    steps.push_back({function, each.shape});
  }
  FL_TRY(std::vector<PassedParameter> passed, passed_parameters(kernel.abi));
  return std::unique_ptr<StreamWork>(
      std::make_unique<ModuleWork>(context, std::move(module), std::move(steps), kernel.abi, std::move(passed)));
}

}  // namespace

WorkLoader module_loader(const Vendor& vendor) {
  return {vendor.binary_format, load_module};
}

}  // namespace fuselab::gpu::stream
