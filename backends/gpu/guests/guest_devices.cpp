// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/guests/guest_devices.h"

#include "core/base/content_hash.h"

namespace fuselab::gpu {
namespace {

// Compiles the kernels that measure ceilings for the GPU itself: the device's target is the guest's.
class CeilingCompiler final : public Compiler {
 public:
  CeilingCompiler(const Lender& lender, Target target)
      : compiler_(lender.compiler), name_(lender.compiler_name), target_(std::move(target)) {}
  Availability probe() override { return Availability::available(); }
  CompilerFingerprint fingerprint() override { return compiler_->fingerprint(); }
  std::string flags(const Target&, OptimizationLevel level) const override { return compiler_->flags(target_, level); }
  Result<KernelBinary> compile(const SourceModule& source, const Target&, OptimizationLevel level, std::stop_token stop) override {
    if (const Availability usable = compiler_->probe(); !usable.usable)
      return Error{ErrorCode::kUnsupported, "ceilings are measured by kernels of " + name_ + "'s: " + usable.reason};
    return compiler_->compile(source, target_, level, std::move(stop));
  }

 private:
  std::shared_ptr<Compiler> compiler_;
  std::string name_;
  Target target_;
};

}  // namespace

Result<std::shared_ptr<const stream::Driver>> GuestDevices::driver() {
  if (!driver_) driver_.emplace(lender_.open_driver());
  return *driver_;
}

Result<std::vector<DeviceInfo>> GuestDevices::native_devices() {
  FL_TRY(const std::shared_ptr<const stream::Driver> opened, driver());
  FL_TRY(stream::FoundDevices found, lender_.describe(*opened));
  if (!found.devices.empty()) return std::move(found.devices);
  const std::string note = found.note();
  return Error{ErrorCode::kUnavailable, note.empty() ? "no " + std::string(lender_.device) : note};
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

Result<std::unique_ptr<DeviceRuntime>> GuestDevices::open(const DeviceInfo& device, stream::WorkLoader loader) {
  FL_TRY(std::vector<DeviceInfo> native, native_devices());
  FL_TRY(std::vector<DeviceInfo> here, devices());
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].id != device.id) continue;
    ceiling_compilers_.push_back(std::make_unique<CeilingCompiler>(lender_, std::move(native[i].target)));
    return stream::StreamRuntime::open(driver_->value(), std::move(here[i]), *ceiling_compilers_.back(), end_process,
                                       std::move(loader));
  }
  return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has " + std::to_string(here.size()) +
                                         " " + lender_.device + "(s), from " + backend_ + ":0 on"};
}

}  // namespace fuselab::gpu
