// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocm_backend.h"

#include <map>
#include <optional>
#include <string>

#include "backends/emulator/simt_emulator.h"
#include "backends/gpu/faulty_generator.h"
#include "backends/gpu/foreign_targets.h"
#include "backends/gpu/stream/start_gate.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "backends/native/compiler/compiler_process.h"
#include "backends/rocm/compiler/hip_compiler.h"
#include "backends/rocm/driver/hip_device.h"
#include "backends/rocm/driver/hip_vendor.h"
#include "backends/rocm/hip_generator.h"
#include "backends/rocm/rocprof/rocprof_counters.h"
#include "backends/rocm/rocprof/rocprof_tracer.h"

namespace fuselab {
namespace {

using namespace hip;

class RocmBackend final : public FusionBackend, public LeavesFiles, public AttachesProfiler {
 public:
  std::string_view id() const override { return "rocm"; }
  Availability probe() override {
    const auto found = look();
    const Availability compiles = compiler_.probe();
    std::string note = found.ok() ? found.value().note() : found.error().message;
    if (!found.ok() || found.value().devices.empty()) {  // it still compiles, which the reason says
      const CompilerFingerprint who = compiler_.fingerprint();
      return Availability::unavailable(
          (note.empty() ? "no AMD GPU" : note) + "; " +
          (compiles.usable ? who.id + " " + who.version + " compiles for AMD's GPUs here" : compiles.reason));
    }
    if (!compiles.usable) return compiles;
    const std::string ungated = gpu::stream::why_ungated(hip_vendor().blocking_variables);
    return {true, note + (note.empty() || ungated.empty() ? "" : "; ") + ungated};
  }
  Result<std::vector<DeviceInfo>> enumerate() override {
    FL_TRY(gpu::stream::FoundDevices found, look());
    return std::move(found.devices);
  }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = hip_capabilities(device.target);
    if (!foreign_targets_) {
      const auto devices = enumerate();
      foreign_targets_ =
          gpu::foreign_targets(id(), devices.ok() ? devices.value() : std::vector<DeviceInfo>(), generator_, compiler_);
    }
    capabilities.foreign_targets = *foreign_targets_;
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    FL_TRY(const std::shared_ptr<const HipDriver> opened, driver());
    FL_TRY(const gpu::stream::FoundDevices found, describe_devices(*opened));
    FL_TRY(DeviceInfo here, found.find(device.id, "AMD GPU"));
    gpu::stream::OpenCounters counting = counters(here);
    return gpu::stream::StreamRuntime::open(opened, std::move(here), compiler_, gpu::end_process, {}, std::move(counting),
                                            tracer());
  }
  CodeGenerator* generator() override {
    if (gpu::FaultyGenerator::is_wanted()) return &faulty_;
    return &generator_;
  }
  Compiler* compiler() override { return &compiler_; }
  KernelEmulator* emulator() override { return &emulator_; }
  void sweep() override {
    simt::sweep_emulations();
    cpu::sweep_compilations();
  }
  void attach_profiler() override {
    if (!profiler_) profiler_.emplace(RocprofSession::attach(loading::real_surroundings("ROCPROFILER")));
  }

 private:
  Result<gpu::stream::FoundDevices> look() {
    FL_TRY(const std::shared_ptr<const HipDriver> opened, driver());
    return describe_devices(*opened);
  }
  Result<std::shared_ptr<RocprofSession>> profiler() const {
    return profiler_ ? *profiler_ : Error{ErrorCode::kUnavailable, "rocprofiler-sdk attaches in processes that profile"};
  }
  gpu::stream::OpenCounters counters(const DeviceInfo& device) {
    const auto pci = device.properties.find("pci");
    return [this, place = pci == device.properties.end() ? "" : pci->second](
               void*, int, std::function<Status()> synchronize) -> Result<std::unique_ptr<CounterCollector>> {
      FL_TRY(std::shared_ptr<RocprofSession> session, profiler());
      return open_rocprof_counters(std::move(session), place, std::move(synchronize));
    };
  }
  gpu::stream::OpenTracer tracer() {
    return [this](void*, int, std::function<Status()> synchronize) -> Result<std::unique_ptr<DeviceTracer>> {
      FL_TRY(std::shared_ptr<RocprofSession> session, profiler());
      return make_rocprof_tracer(std::move(session), std::move(synchronize));
    };
  }
  // One attempt per process: a runtime that failed to start keeps failing.
  Result<std::shared_ptr<const HipDriver>> driver() {
    if (!driver_) driver_.emplace(HipDriver::open());
    return *driver_;
  }

  HipGenerator generator_;
  gpu::FaultyGenerator faulty_{generator_};
  HipCompiler compiler_;
  simt::SimtEmulator emulator_;
  std::optional<Result<std::shared_ptr<const HipDriver>>> driver_;
  std::optional<Result<std::shared_ptr<RocprofSession>>> profiler_;
  std::optional<std::map<std::string, std::string>> foreign_targets_;  // tried on first asking
};

}  // namespace

std::unique_ptr<FusionBackend> make_rocm_backend() {
  return std::make_unique<RocmBackend>();
}

}  // namespace fuselab
