// SPDX-License-Identifier: Apache-2.0
#include "backends/torch_cuda/torch_cuda_backend.h"

#include "backends/cuda/guests/guest_devices.h"
#include "backends/library/plan_provider.h"
#include "backends/library/stream/stream_backend.h"
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
  std::shared_ptr<torch::TorchCudaLibrary> torch_;  // once it was opened
  library::LazyLibrary lazy_{[this]() -> Result<std::shared_ptr<torch::TorchCudaLibrary>> {
    FL_TRY(torch_, torch::TorchCudaLibrary::open(loading::real_surroundings("TORCH_CUDA")));
    return torch_;
  }};
  cuda::GuestDevices guests_{"torch_cuda", [this](DeviceInfo& info) {
                               // Null where only whether there are devices was asked.
                               if (torch_ != nullptr) library::describe_guest(torch_->facts(), info);
                             }};
  library::PlanProvider provider_{"torch_cuda-plan", lazy_};
  library::PlanCompiler compiler_{lazy_};
};

}  // namespace

std::unique_ptr<FusionBackend> make_torch_cuda_backend() {
  return std::make_unique<TorchCudaBackend>();
}

}  // namespace fuselab
