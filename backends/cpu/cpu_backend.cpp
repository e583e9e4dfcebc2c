// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include "backends/host/processor.h"
#include "backends/native/compiler/compiler_process.h"
#include "backends/native/compiler/cpu_compiler.h"
#include "backends/native/compiler/foreign_targets.h"
#include "backends/native/compiler/trial_compilation.h"
#include "backends/native/cpu_generator.h"
#include "backends/native/cpu_runtime.h"

namespace fuselab {
namespace {

using namespace cpu;

class CpuBackend final : public FusionBackend, public LeavesFiles {
 public:
  std::string_view id() const override { return "cpu"; }
  Availability probe() override {
    if (!tried_) {
      const Availability found = compiler_.probe();
      const bool compiled_ahead = found.usable && !found.reason.empty();
      tried_ = found.usable && !compiled_ahead ? trial_compilation(compiler_, host::describe_cpu().target) : found;
    }
    return *tried_;
  }
  Result<std::vector<DeviceInfo>> enumerate() override { return std::vector<DeviceInfo>{host::describe_cpu()}; }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = cpu_capabilities();
    if (foreign_targets_.empty()) foreign_targets_ = foreign_targets(device, generator_, compiler_);
    capabilities.foreign_targets = foreign_targets_;
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override { return open_cpu(device); }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }
  void sweep() override { sweep_compilations(); }

 private:
  CpuGenerator generator_;
  CpuCompiler compiler_{default_compilers(), own_shelf()};
  std::optional<Availability> tried_;
  std::map<std::string, std::string> foreign_targets_;  // tried on first asking
};

}  // namespace

std::unique_ptr<FusionBackend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace fuselab
