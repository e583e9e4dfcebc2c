// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_backend.h"

#include "backends/opencl/opencl_compiler.h"
#include "backends/opencl/opencl_generator.h"
#include "backends/opencl/opencl_library.h"
#include "backends/opencl/opencl_runtime.h"

namespace fuselab {
namespace {

using namespace opencl;

class OpenClBackend final : public FusionBackend, public LeavesFiles {
 public:
  OpenClBackend() : compiler_(stack_) {}

  std::string_view id() const override { return "opencl"; }
  Availability probe() override { return compiler_.probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& found = stack_.find();
    if (!found.ok()) return found.error();
    std::vector<DeviceInfo> devices;
    for (const OpenClDevice& device : found.value().devices) devices.push_back(device.info);
    return devices;
  }
  BackendCapabilities capabilities(const DeviceInfo& device) override { return opencl_capabilities(device.target); }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& found = stack_.find();
    if (!found.ok()) return found.error();
    for (const OpenClDevice& here : found.value().devices) {
      if (here.info.id == device.id) return OpenClRuntime::open(found.value().library, here);
    }
    return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has " +
                                           std::to_string(found.value().devices.size()) + " OpenCL device(s), from opencl:0 on"};
  }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }
  void sweep() override { sweep_caches(); }

 private:
  OpenClStack stack_;
  OpenClGenerator generator_;
  OpenClCompiler compiler_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_opencl_backend() {
  return std::make_unique<OpenClBackend>();
}

}  // namespace fuselab
