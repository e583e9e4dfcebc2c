// SPDX-License-Identifier: Apache-2.0
#include "backends/torch_cuda/torch_cuda_backend.h"

#include "backends/cuda/guests/guest_devices.h"
#include "backends/library/plan_provider.h"
#include "backends/torch_cuda/torch_cuda_library.h"

namespace fuselab {
namespace {

class TorchCudaBackend final : public FusionBackend {
 public:
  std::string_view id() const override { return "torch_cuda"; }
  Availability probe() override {
    const auto found = enumerate();
    return found.ok() ? Availability::available() : Availability::unavailable(found.error().message);
  }
  // The driver is asked first: without a device PyTorch's kernels are not opened.
  Result<std::vector<DeviceInfo>> enumerate() override {
    FL_TRY_VOID(guests_.devices());
    FL_TRY_VOID(lazy_.library());
    FL_TRY_VOID(torch_->load_kernels());
    return guests_.devices();
  }
  BackendCapabilities capabilities(const DeviceInfo&) override { return torch::torch_capabilities(); }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    FL_TRY_VOID(enumerate());
    return guests_.open(device, library::plan_loader(torch_));
  }
  CodeGenerator* generator() override { return &provider_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  void adopt(DeviceInfo& info) const {
    if (torch_ == nullptr) return;  // only whether there are devices was asked
    const library::LibraryFacts& facts = torch_->facts();
    info.name += " (through " + facts.name + " " + facts.version + (facts.is_tried ? ")" : ", a version that was not tried)");
    info.properties["library"] = facts.path;
    if (!facts.build.empty()) info.properties["library_build"] = facts.build;
    info.properties["settings"] = facts.flags;
    info.target.id = library::target_id(facts);
    info.target.arch = facts.id;
    info.other_targets.clear();
    IdentityHasher identity(facts.id);
    identity.add("device", info.uuid).add("version", facts.version).add("build", facts.build).add("settings", facts.settings);
    info.uuid = identity.finish().hex();
  }

  std::shared_ptr<torch::TorchCudaLibrary> torch_;  // once it was opened
  library::LazyLibrary lazy_{[this]() -> Result<std::shared_ptr<torch::TorchCudaLibrary>> {
    FL_TRY(torch_, torch::TorchCudaLibrary::open(loading::real_surroundings("TORCH_CUDA")));
    return torch_;
  }};
  cuda::GuestDevices guests_{"torch_cuda", [this](DeviceInfo& info) { adopt(info); }};
  library::PlanProvider provider_{"torch_cuda-plan", lazy_};
  library::PlanCompiler compiler_{lazy_};
};

}  // namespace

std::unique_ptr<FusionBackend> make_torch_cuda_backend() {
  return std::make_unique<TorchCudaBackend>();
}

}  // namespace fuselab
