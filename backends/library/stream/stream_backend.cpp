// SPDX-License-Identifier: Apache-2.0
#include "backends/library/stream/stream_backend.h"

#include "backends/library/plan_provider.h"
#include "core/base/content_hash.h"

namespace fuselab::library {
namespace {

class StreamLibraryBackend final : public FusionBackend {
 public:
  StreamLibraryBackend(std::string id, gpu::Lender lender, OpenStreamLibrary open)
      : id_(std::move(id)),
        open_(std::move(open)),
        guests_(std::move(lender), id_, [this](DeviceInfo& info) { adopt(info); }),
        lazy_([this] { return open_library(); }),
        provider_(id_ + "-plan", lazy_),
        compiler_(lazy_) {}

  std::string_view id() const override { return id_; }
  Availability probe() override { return compiler_.probe(); }
  Result<std::vector<DeviceInfo>> enumerate() override {
    const auto& found = lazy_.library();
    if (!found.ok()) return found.error();
    return guests_.devices();
  }
  BackendCapabilities capabilities(const DeviceInfo&) override {
    const auto& found = lazy_.library();
    return found.ok() ? found.value()->capabilities() : BackendCapabilities();
  }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo& device) override {
    const auto& found = lazy_.library();
    if (!found.ok()) return found.error();
    return guests_.open(device, plan_loader(library_));
  }
  CodeGenerator* generator() override { return &provider_; }
  Compiler* compiler() override { return &compiler_; }

 private:
  // The library was opened for the first device. Another architecture keeps its own name, so that plans are refused there.
  void adopt(DeviceInfo& info) const {
    if (library_ == nullptr) return;  // only whether there are devices was asked
    const std::string lent = info.target.id;
    describe_guest(library_->facts(), info);
    if (lent != first_) info.target.id += "-not-" + lent;
  }
  Result<std::shared_ptr<StreamLibrary>> open_library() {
    FL_TRY(const std::vector<DeviceInfo> native, guests_.native_devices());
    FL_TRY(std::shared_ptr<const gpu::stream::Driver> driver, guests_.driver());
    first_ = native.front().target.id;
    FL_TRY(library_, open_(std::move(driver), native.front()));
    return library_;
  }

  std::string id_;
  OpenStreamLibrary open_;
  std::shared_ptr<StreamLibrary> library_;  // once it was opened
  std::string first_;                       // the first device's own target
  gpu::GuestDevices guests_;
  LazyLibrary lazy_;
  PlanProvider provider_;
  PlanCompiler compiler_;
};

}  // namespace

void describe_guest(const LibraryFacts& facts, DeviceInfo& info) {
  info.name += " (through " + facts.name + " " + facts.version + (facts.is_tried ? ")" : ", a version that was not tried)");
  info.properties["library"] = facts.path;
  if (!facts.build.empty()) info.properties["library_build"] = facts.build;
  info.properties["settings"] = facts.flags;
  info.target.id = target_id(facts);
  info.target.arch = facts.id;
  info.other_targets.clear();
  IdentityHasher identity(facts.id);
  identity.add("device", info.uuid).add("version", facts.version).add("build", facts.build).add("settings", facts.settings);
  info.uuid = identity.finish().hex();
}

std::unique_ptr<FusionBackend> make_stream_library_backend(std::string id, gpu::Lender lender, OpenStreamLibrary open) {
  return std::make_unique<StreamLibraryBackend>(std::move(id), std::move(lender), std::move(open));
}

}  // namespace fuselab::library
