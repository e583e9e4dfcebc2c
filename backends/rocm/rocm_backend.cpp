// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocm_backend.h"

#include <map>
#include <optional>
#include <string>

#include "backends/emulator/simt_emulator.h"
#include "backends/gpu/faulty_generator.h"
#include "backends/gpu/foreign_targets.h"
#include "backends/loading/shared_library.h"
#include "backends/native/compiler/compiler_process.h"
#include "backends/rocm/compiler/hip_compiler.h"
#include "backends/rocm/hip_generator.h"

namespace fuselab {
namespace {

using namespace hip;

class RocmBackend final : public FusionBackend, public LeavesFiles {
 public:
  std::string_view id() const override { return "rocm"; }
  // A machine without a GPU still compiles, which the reason says.
  Availability probe() override {
    const auto search = loading::search_libraries(info().required_libraries);
    const Availability compiles = compiler_.probe();
    return Availability::unavailable(
        (search.found.empty() ? search.problem : search.found + " found, but Fuselab does not drive it yet") + "; " +
        (compiles.usable ? "clang " + compiler_.fingerprint().version + " compiles for AMD's GPUs here" : compiles.reason));
  }
  Result<std::vector<DeviceInfo>> enumerate() override { return std::vector<DeviceInfo>(); }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = hip_capabilities(device.target);
    if (!foreign_targets_) foreign_targets_ = gpu::foreign_targets(id(), {}, generator_, compiler_);
    capabilities.foreign_targets = *foreign_targets_;
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "'"};
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

 private:
  HipGenerator generator_;
  gpu::FaultyGenerator faulty_{generator_};
  HipCompiler compiler_;
  simt::SimtEmulator emulator_;
  std::optional<std::map<std::string, std::string>> foreign_targets_;  // tried on first asking
};

}  // namespace

std::unique_ptr<FusionBackend> make_rocm_backend() {
  return std::make_unique<RocmBackend>();
}

}  // namespace fuselab
