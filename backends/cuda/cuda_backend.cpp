// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.h"

#include <optional>

#include "backends/cuda/cuda_device.h"
#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/cuda_runtime.h"
#include "backends/cuda/faulty_generator.h"
#include "backends/cuda/foreign_targets.h"
#include "backends/cuda/nvrtc_compiler.h"

namespace fuselab {
namespace {

using namespace cuda;

class CudaBackend final : public FusionBackend {
 public:
  std::string_view id() const override { return "cuda"; }
  std::string_view display_name() const override { return "NVIDIA CUDA"; }
  Availability probe() override {
    auto const devices = enumerate();
    if (!devices.ok()) return Availability::unavailable(devices.error().message);
    if (devices.value().empty()) return Availability::unavailable("no CUDA device");
    Availability compiler = compiler_.probe();
    return compiler;
  }
  Result<std::vector<DeviceInfo>> enumerate() override {
    FL_TRY(std::shared_ptr<const CudaDriver> const opened, driver());
    return describe_devices(*opened);
  }
  BackendCapabilities capabilities(const DeviceInfo&) override {
    BackendCapabilities capabilities = cuda_capabilities();
    if (!foreign_targets_) {
      auto const devices = enumerate();
      foreign_targets_ = foreign_targets(devices.ok() ? devices.value() : std::vector<DeviceInfo>(), generator_, compiler_);
    }
    capabilities.foreign_targets = *foreign_targets_;
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    FL_TRY(std::shared_ptr<const CudaDriver> const opened, driver());
    FL_TRY(std::vector<DeviceInfo> const devices, describe_devices(*opened));
    for (const DeviceInfo& here : devices) {
      if (here.id == device.id) return CudaRuntime::open(opened, here, compiler_);
    }
    return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has " +
                                           std::to_string(devices.size()) + " CUDA device(s), from cuda:0 on"};
  }
  CodeGenerator* generator() override {
    if (FaultyGenerator::is_wanted()) return &faulty_;
    return &generator_;
  }
  Compiler* compiler() override { return &compiler_; }

 private:
  // One attempt per process: a driver that failed to start keeps failing.
  Result<std::shared_ptr<const CudaDriver>> driver() {
    if (!driver_) driver_.emplace(CudaDriver::open());
    return *driver_;
  }

  CudaGenerator generator_;
  FaultyGenerator faulty_{generator_};
  NvrtcCompiler compiler_;
  std::optional<Result<std::shared_ptr<const CudaDriver>>> driver_;
  std::optional<std::map<std::string, std::string>> foreign_targets_;  // tried on first asking
};

}  // namespace

std::unique_ptr<FusionBackend> make_cuda_backend() {
  return std::make_unique<CudaBackend>();
}

}  // namespace fuselab
