// SPDX-License-Identifier: Apache-2.0
#include "backends/inductor/inductor_backend.h"

#include "backends/inductor/cuda_device.h"
#include "backends/inductor/cuda_writing.h"
#include "backends/inductor/inductor_library.h"
#include "backends/library/host/library_backend.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/files/directories.h"

namespace fuselab {
namespace {

std::filesystem::path kept_folder() {
  return platform::base_directories().cache / "fuselab" / "inductor";
}

Result<python::PythonProgram> python_with_torch() {
  return python::find_python("inductor");
}

// Triton is a stack of its own. Where the user names a Python, it has what it has.
Result<python::PythonProgram> python_with_torch_and_triton() {
  FL_TRY(python::PythonProgram program, python_with_torch());
  if (program.packages.empty()) return program;
  const auto triton = python::find_python("triton");
  if (!triton.ok()) return triton.error().within("Inductor compiles for CUDA with Triton");
  program.packages.insert(program.packages.end(), triton.value().packages.begin(), triton.value().packages.end());
  return program;
}

// Inductor runs on the processor; for CUDA it compiles alone.
class InductorBackend final : public FusionBackend {
 public:
  std::string_view id() const override { return host_->id(); }
  Availability probe() override { return host_->probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override { return host_->enumerate(); }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = host_->capabilities(device);
    for (const std::string& id : virtual_target_ids()) {
      const auto known = cuda_.facts(virtual_target(id).value().target);
      if (!known.ok()) continue;
      capabilities.foreign_targets[id] =
          "compiled by " + known.value().name + " " + known.value().version + " with Triton, which only compiles";
    }
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override { return host_->open(device); }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  std::unique_ptr<FusionBackend> host_ =
      library::make_library_backend("inductor", []() -> Result<std::shared_ptr<library::HostLibrary>> {
        FL_TRY(std::shared_ptr<inductor::InductorLibrary> opened,
               inductor::InductorLibrary::open(python_with_torch, kept_folder()));
        return std::shared_ptr<library::HostLibrary>(std::move(opened));
      });
  inductor::CudaInductor cuda_{python_with_torch_and_triton, kept_folder()};
  inductor::InductorGenerator generator_{*host_->generator(), cuda_};
  inductor::InductorCompiler compiler_{*host_->compiler(), cuda_};
};

}  // namespace

std::unique_ptr<FusionBackend> make_inductor_backend() {
  return std::make_unique<InductorBackend>();
}

}  // namespace fuselab
