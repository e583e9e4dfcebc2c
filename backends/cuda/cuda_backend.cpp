// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.h"

#include <optional>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/cupti/cupti_counters.h"
#include "backends/cuda/cupti/cupti_tracer.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/cuda/driver/cuda_driver.h"
#include "backends/cuda/driver/cuda_vendor.h"
#include "backends/emulator/simt_emulator.h"
#include "backends/gpu/faulty_generator.h"
#include "backends/gpu/foreign_targets.h"
#include "backends/gpu/stream/start_gate.h"
#include "backends/gpu/stream/stream_runtime.h"

namespace fuselab {
namespace {

using namespace cuda;

gpu::stream::OpenCounters counters_of_cupti() {
  return [](void* context, int ordinal, std::function<Status()> synchronize) {
    return open_cupti_counters(loading::real_surroundings("CUPTI"), context, ordinal, std::move(synchronize));
  };
}

gpu::stream::OpenTracer tracer_of_cupti() {
  return [](void* context, int ordinal, std::function<Status()> synchronize) {
    return open_cupti_tracer(loading::real_surroundings("CUPTI"), context, ordinal, std::move(synchronize));
  };
}

class CudaBackend final : public FusionBackend, public LeavesFiles {
 public:
  std::string_view id() const override { return "cuda"; }
  Availability probe() override {
    const auto found = look();
    if (!found.ok()) return Availability::unavailable(found.error().message);
    std::string note = found.value().note();
    if (found.value().devices.empty()) return Availability::unavailable(note.empty() ? "no CUDA device" : note);
    Availability all = compiler_.probe();
    if (!all.usable) return all;
    for (const std::string& each : {note, gpu::stream::why_ungated(cuda_vendor().blocking_variables)})
      all.reason += (all.reason.empty() || each.empty() ? "" : "; ") + each;
    return all;
  }
  Result<std::vector<DeviceInfo>> enumerate() override {
    FL_TRY(FoundDevices found, look());
    return std::move(found.devices);
  }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = cuda_capabilities(device.target);
    if (!foreign_targets_) {
      const auto devices = enumerate();
      foreign_targets_ =
          gpu::foreign_targets(id(), devices.ok() ? devices.value() : std::vector<DeviceInfo>(), generator_, compiler_);
    }
    capabilities.foreign_targets = *foreign_targets_;
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    FL_TRY(const std::shared_ptr<const CudaDriver> opened, driver());
    FL_TRY(const FoundDevices found, describe_devices(*opened));
    FL_TRY(DeviceInfo here, found.find(device.id, "CUDA device"));
    return gpu::stream::StreamRuntime::open(opened, std::move(here), compiler_, gpu::end_process, {}, counters_of_cupti(),
                                            tracer_of_cupti());
  }
  CodeGenerator* generator() override {
    if (gpu::FaultyGenerator::is_wanted()) return &faulty_;
    return &generator_;
  }
  Compiler* compiler() override { return &compiler_; }
  KernelEmulator* emulator() override { return &emulator_; }
  void sweep() override { simt::sweep_emulations(); }

 private:
  Result<FoundDevices> look() {
    FL_TRY(const std::shared_ptr<const CudaDriver> opened, driver());
    return describe_devices(*opened);
  }
  // One attempt per process: a driver that failed to start keeps failing.
  Result<std::shared_ptr<const CudaDriver>> driver() {
    if (!driver_) driver_.emplace(CudaDriver::open());
    return *driver_;
  }

  CudaGenerator generator_;
  gpu::FaultyGenerator faulty_{generator_};
  NvrtcCompiler compiler_;
  simt::SimtEmulator emulator_;
  std::optional<Result<std::shared_ptr<const CudaDriver>>> driver_;
  std::optional<std::map<std::string, std::string>> foreign_targets_;  // tried on first asking
};

}  // namespace

std::unique_ptr<FusionBackend> make_cuda_backend() {
  return std::make_unique<CudaBackend>();
}

}  // namespace fuselab
