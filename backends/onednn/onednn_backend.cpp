// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_backend.h"

#include "backends/onednn/onednn_provider.h"
#include "backends/onednn/onednn_runtime.h"
#include "backends/onednn/onednn_stack.h"

namespace fuselab {
namespace {

using namespace onednn;

class OneDnnBackend final : public FusionBackend {
 public:
  OneDnnBackend() : provider_(stack_), compiler_(stack_) {}

  std::string_view id() const override { return "onednn"; }
  Availability probe() override { return compiler_.probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& found = stack_.library();
    if (!found.ok()) return found.error();
    return std::vector<DeviceInfo>{describe_device(*found.value())};
  }
  BackendCapabilities capabilities(const DeviceInfo&) override {
    const auto& found = stack_.library();
    return found.ok() ? capabilities_of(*found.value()) : BackendCapabilities();
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& found = stack_.library();
    if (!found.ok()) return found.error();
    DeviceInfo here = describe_device(*found.value());
    if (device.id != here.id) {
      return Error{ErrorCode::kNotFound,
                   "there is no device '" + device.id + "': oneDNN drives this machine's processor, onednn:0"};
    }
    return std::unique_ptr<DeviceRuntime>(std::make_unique<OneDnnRuntime>(found.value(), std::move(here)));
  }
  CodeGenerator* generator() override { return &provider_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  OneDnnStack stack_;
  OneDnnProvider provider_;
  OneDnnCompiler compiler_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_onednn_backend() {
  return std::make_unique<OneDnnBackend>();
}

}  // namespace fuselab
