// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/guests/guest_devices.h"

#include "core/base/content_hash.h"

namespace fuselab::cuda {
namespace {

// Compiles the kernels that measure ceilings for the GPU itself: the device's target is the guest's.
class CeilingCompiler final : public Compiler {
 public:
  CeilingCompiler(NvrtcCompiler& nvrtc, Target target) : nvrtc_(nvrtc), target_(std::move(target)) {}
  Availability probe() override { return Availability::available(); }
  CompilerFingerprint fingerprint() override { return nvrtc_.fingerprint(); }
  std::string flags(const Target&, OptimizationLevel level) const override { return nvrtc_.flags(target_, level); }
  Result<KernelBinary> compile(const SourceModule& source, const Target&, OptimizationLevel level, std::stop_token stop) override {
    if (const Availability usable = nvrtc_.probe(); !usable.usable)
      return Error{ErrorCode::kUnsupported, "ceilings are measured by kernels of NVRTC's: " + usable.reason};
    return nvrtc_.compile(source, target_, level, std::move(stop));
  }

 private:
  NvrtcCompiler& nvrtc_;
  Target target_;
};

}  // namespace

Result<std::vector<DeviceInfo>> GuestDevices::native_devices() {
  if (!driver_) driver_.emplace(CudaDriver::open());
  if (!driver_->ok()) return driver_->error();
  FL_TRY(FoundDevices found, describe_devices(*driver_->value()));
  if (!found.devices.empty()) return std::move(found.devices);
  const std::string note = found.note();
  return Error{ErrorCode::kUnavailable, note.empty() ? "no CUDA device" : note};
}

Result<std::vector<DeviceInfo>> GuestDevices::devices() {
  FL_TRY(std::vector<DeviceInfo> found, native_devices());
  for (DeviceInfo& each : found) {
    each.id = backend_ + ":" + std::to_string(each.index);
    each.backend = backend_;
    each.uuid = IdentityHasher(backend_).add("device", each.uuid).finish().hex();
    adopt_(each);
  }
  return found;
}

Result<std::unique_ptr<DeviceRuntime>> GuestDevices::open(const DeviceInfo& device, gpu::stream::WorkLoader loader) {
  FL_TRY(std::vector<DeviceInfo> native, native_devices());
  FL_TRY(std::vector<DeviceInfo> here, devices());
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].id != device.id) continue;
    ceiling_compilers_.push_back(std::make_unique<CeilingCompiler>(nvrtc_, std::move(native[i].target)));
    return gpu::stream::StreamRuntime::open(driver_->value(), std::move(here[i]), *ceiling_compilers_.back(), gpu::end_process,
                                            std::move(loader));
  }
  return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has " + std::to_string(here.size()) +
                                         " CUDA device(s), from " + backend_ + ":0 on"};
}

}  // namespace fuselab::cuda
