// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_backend.h"

#include "backends/library/host/library_backend.h"
#include "backends/xla/xla_library.h"
#include "backends/xla/xla_writing.h"

namespace fuselab {
namespace {

// The processor's plugin runs what it compiles; the plugins for CUDA and TPU compile alone.
class XlaBackend final : public FusionBackend {
 public:
  std::string_view id() const override { return host_->id(); }
  Availability probe() override { return host_->probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override { return host_->enumerate(); }
  BackendCapabilities capabilities(const DeviceInfo& device) override {
    BackendCapabilities capabilities = host_->capabilities(device);
    capabilities.foreign_targets = plugins_.targets();
    return capabilities;
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override { return host_->open(device); }
  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  std::unique_ptr<FusionBackend> host_ =
      library::make_library_backend("xla", [] { return xla::XlaLibrary::open(loading::real_surroundings("XLA")); });
  xla::TopologyPlugins plugins_{
      [](xla::TopologyPlugin::Kind kind) { return xla::TopologyPlugin::open(kind, xla::TopologyPlugin::real_surroundings(kind)); }};
  xla::XlaGenerator generator_{*host_->generator(), plugins_};
  xla::XlaCompiler compiler_{*host_->compiler(), plugins_};
};

}  // namespace

std::unique_ptr<FusionBackend> make_xla_backend() {
  return std::make_unique<XlaBackend>();
}

}  // namespace fuselab
