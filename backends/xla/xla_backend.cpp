// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_backend.h"

#include "backends/xla/xla_provider.h"
#include "backends/xla/xla_runtime.h"
#include "backends/xla/xla_stack.h"

namespace fuselab {
namespace {

using namespace xla;

class XlaBackend final : public FusionBackend {
 public:
  XlaBackend() : provider_(stack_), compiler_(stack_) {}

  std::string_view id() const override { return "xla"; }
  Availability probe() override { return compiler_.probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& found = stack_.library();
    if (!found.ok()) return found.error();
    return std::vector<DeviceInfo>{describe_device(*found.value())};
  }
  BackendCapabilities capabilities(const DeviceInfo&) override { return xla_capabilities(); }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& found = stack_.library();
    if (!found.ok()) return found.error();
    DeviceInfo here = describe_device(*found.value());
    if (device.id != here.id)
      return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': XLA drives this machine's processor, xla:0"};
    return std::unique_ptr<DeviceRuntime>(std::make_unique<XlaRuntime>(found.value(), std::move(here)));
  }
  CodeGenerator* generator() override { return &provider_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  XlaStack stack_;
  XlaProvider provider_;
  XlaCompiler compiler_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_xla_backend() {
  return std::make_unique<XlaBackend>();
}

}  // namespace fuselab
