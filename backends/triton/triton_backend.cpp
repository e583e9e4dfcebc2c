// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/triton_backend.h"

#include "backends/triton/cuda_launching.h"
#include "backends/triton/triton_compiler.h"
#include "backends/triton/triton_generator.h"

namespace fuselab {
namespace {

Result<python::PythonProgram> python_with_triton() {
  return python::find_python("triton");
}

class TritonBackend final : public FusionBackend, public LeavesFiles {
 public:
  std::string_view id() const override { return "triton"; }
  // A machine without a GPU still compiles, which the reason says.
  Availability probe() override {
    const auto found = launching_.devices();
    const Availability compiles = compiler_.probe();
    if (!compiles.usable) return compiles;
    if (found.ok()) return Availability::available();
    return Availability::unavailable("Triton " + compiler_.fingerprint().version +
                                     " compiles here, and nothing runs its kernels: " + found.error().message);
  }
  Result<std::vector<DeviceInfo>> enumerate() override { return launching_.devices(); }
  BackendCapabilities capabilities(const DeviceInfo&) override { return triton::triton_capabilities(); }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override { return launching_.open(device); }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }
  KernelEmulator* emulator() override { return &interpreter_; }
  void sweep() override { python::sweep_helpers(); }

 private:
  triton::TritonGenerator generator_;
  triton::TritonCompiler compiler_{python_with_triton};
  triton::TritonInterpreter interpreter_{python_with_triton};
  triton::CudaLaunching launching_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_triton_backend() {
  return std::make_unique<TritonBackend>();
}

}  // namespace fuselab
