// SPDX-License-Identifier: Apache-2.0
#include "backends/declared/declared_backend.h"

#include "backends/declared/declared_systems.h"

namespace fuselab {
namespace {

class DeclaredBackend final : public FusionBackend {
 public:
  DeclaredBackend(const BackendInfo& info, bool is_left_out) : is_left_out_(is_left_out) { set_info(info); }

  std::string_view id() const override { return info().id; }
  Availability probe() override { return Availability::unavailable(reason()); }
  Result<std::vector<DeviceInfo>> enumerate() override { return std::vector<DeviceInfo>(); }
  BackendCapabilities capabilities(const DeviceInfo&) override { return {}; }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo&) override {
    return Error{ErrorCode::kUnavailable, std::string(info().display_name) + ": " + reason()};
  }

 private:
  std::string reason() const {
    if (is_left_out_) return "it was left out when this Fuselab was built (FUSELAB_BACKEND_… is OFF)";
    return declared::reason_why_unusable(info());
  }

  bool is_left_out_;
};

}  // namespace

std::unique_ptr<FusionBackend> make_declared_backend(const BackendInfo& info, bool is_left_out) {
  return std::make_unique<DeclaredBackend>(info, is_left_out);
}

}  // namespace fuselab
