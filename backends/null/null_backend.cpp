// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_backend.h"

#include "backends/null/null_compiler.h"
#include "backends/null/null_generator.h"
#include "backends/null/null_trouble.h"
#include "core/base/content_hash.h"
#include "core/fusion/match/fusion_types.h"

namespace fuselab {
namespace {

DeviceInfo synthetic_device(int index, std::string_view target, std::string name) {
  DeviceInfo device;
  device.id = "null:" + std::to_string(index);
  device.backend = "null";
  device.type = "synthetic";
  device.index = index;
  device.name = std::move(name);
  device.uuid = ContentHash::of(device.id).hex();
  device.synthetic = true;
  device.target = {std::string(target), "null", {}};
  return device;
}

class NullBackend final : public FusionBackend {
 public:
  std::string_view id() const override { return "null"; }
  Availability probe() override { return Availability::available(); }

  Result<std::vector<DeviceInfo>> enumerate() override {
    return std::vector<DeviceInfo>{synthetic_device(0, null::kPlainTarget, "synthetic device"),
                                   synthetic_device(1, null::kFaultyTarget, "synthetic device with faults")};
  }

  BackendCapabilities capabilities(const DeviceInfo&) override {
    BackendCapabilities capabilities;
    for (int pattern = 0; pattern < static_cast<int>(FusionPatternType::kOpaque); ++pattern) {
      capabilities.patterns.emplace_back(name_of(static_cast<FusionPatternType>(pattern)));
    }
    capabilities.dtypes.assign(std::begin(kAllDTypes), std::end(kAllDTypes));
    for (int op = 0; op < static_cast<int>(Op::kOpaque); ++op) capabilities.operators.push_back(static_cast<Op>(op));
    capabilities.fusion.takes_prologue = true;
    capabilities.fusion.multiplies_8_bit = true;
    capabilities.supports_autotuning = true;
    capabilities.supports_profiling = true;
    capabilities.supports_jit = true;
    capabilities.supports_binary_cache = true;
    return capabilities;
  }

  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    if (device.backend != "null") return invalid_argument("'" + device.id + "' is not a null device");
    return null::make_runtime(device);
  }

  CodeGenerator* generator() override { return &generator_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  null::NullGenerator generator_;
  null::NullCompiler compiler_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_null_backend() {
  return std::make_unique<NullBackend>();
}

}  // namespace fuselab
