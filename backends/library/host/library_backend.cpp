// SPDX-License-Identifier: Apache-2.0
#include "backends/library/host/library_backend.h"

#include "backends/library/host/host_device.h"
#include "backends/library/host/plan_runtime.h"
#include "backends/library/plan_provider.h"

namespace fuselab::library {
namespace {

class LibraryBackend final : public FusionBackend {
 public:
  LibraryBackend(std::string id, OpenHostLibrary open)
      : id_(std::move(id)),
        lazy_([this, open = std::move(open)] {
          auto opened = open();
          if (opened.ok()) host_ = opened.value();
          return opened;
        }),
        provider_(id_ + "-plan", lazy_),
        compiler_(lazy_) {}

  std::string_view id() const override { return id_; }
  Availability probe() override { return compiler_.probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& found = lazy_.library();
    if (!found.ok()) return found.error();
    return std::vector<DeviceInfo>{describe_device(found.value()->facts())};
  }
  BackendCapabilities capabilities(const DeviceInfo&) override {
    const auto& found = lazy_.library();
    return found.ok() ? found.value()->capabilities() : BackendCapabilities();
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& found = lazy_.library();
    if (!found.ok()) return found.error();
    DeviceInfo here = describe_device(found.value()->facts());
    if (device.id != here.id) {
      return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': " + found.value()->facts().name +
                                             " drives this machine's CPU, " + here.id};
    }
    return std::unique_ptr<DeviceRuntime>(std::make_unique<PlanRuntime>(host_, std::move(here)));
  }
  CodeGenerator* generator() override { return &provider_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  std::string id_;
  std::shared_ptr<HostLibrary> host_;  // once it was opened
  LazyLibrary lazy_;
  PlanProvider provider_;
  PlanCompiler compiler_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_library_backend(std::string id, OpenHostLibrary open) {
  return std::make_unique<LibraryBackend>(std::move(id), std::move(open));
}

}  // namespace fuselab::library
