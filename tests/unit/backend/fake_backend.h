// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/backend/backend.h"

namespace fuselab::test {

// A backend that is only a name and the answers a test gives it.
class FakeBackend final : public FusionBackend {
 public:
  explicit FakeBackend(std::string id) : id_(std::move(id)) {}

  std::string_view id() const override { return id_; }
  Availability probe() override {
    if (on_probe) on_probe();
    return availability;
  }
  Result<std::vector<DeviceInfo>> enumerate() override { return devices; }
  BackendCapabilities capabilities(const DeviceInfo&) override { return {}; }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo&) override {
    return Error{ErrorCode::kUnavailable, "a fake has no devices"};
  }
  CodeGenerator* generator() override { return generator_to_give; }

  Availability availability = Availability::available();
  std::vector<DeviceInfo> devices;
  CodeGenerator* generator_to_give = nullptr;
  std::function<void()> on_probe;

 private:
  std::string id_;
};

// A generator that supports everything or nothing.
class FakeGenerator final : public CodeGenerator {
 public:
  explicit FakeGenerator(Support answer) : answer_(std::move(answer)) {}
  std::string_view id() const override { return "fake"; }
  std::string_view version() const override { return "1"; }
  Support supports(const Graph&, const Target&) const override { return answer_; }
  ParameterSpace space(const Graph&, const Target&) const override { return {}; }
  LaunchConfig default_config(const Graph&, const Target&) const override { return {}; }
  Result<SourceModule> generate(const Graph&, const LaunchConfig&, const Target&) const override { return SourceModule{}; }

 private:
  Support answer_;
};

inline DeviceInfo fake_device(std::string backend, std::string name) {
  DeviceInfo device;
  device.id = backend + ":0";
  device.backend = std::move(backend);
  device.name = std::move(name);
  return device;
}

}  // namespace fuselab::test
