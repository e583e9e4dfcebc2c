// SPDX-License-Identifier: Apache-2.0
#include "backends/declared/declared_backend.h"

#include "backends/declared/declared_systems.h"
#include "core/backend/backend_names.h"

namespace fuselab {
namespace {

class DeclaredBackend final : public FusionBackend {
 public:
  explicit DeclaredBackend(const BackendInfo& info) : info_(info) {}

  std::string_view id() const override { return info_.id; }
  std::string_view display_name() const override { return info_.display_name; }
  Availability probe() override { return Availability::unavailable(declared::reason_why_unusable(info_.id)); }
  Result<std::vector<DeviceInfo>> enumerate() override { return std::vector<DeviceInfo>(); }
  BackendCapabilities capabilities(const DeviceInfo&) override { return {}; }
  Result<std::unique_ptr<DeviceRuntime>> open(const DeviceInfo&) override {
    return Error{ErrorCode::kUnavailable, std::string(info_.display_name) + ": " + declared::reason_why_unusable(info_.id)};
  }

 private:
  const BackendInfo& info_;  // of the table, which outlives everything
};

}  // namespace

std::unique_ptr<FusionBackend> make_declared_backend(std::string_view id) {
  auto const* info = find_backend_info(id);
  FL_ASSERT(info != nullptr);
  return std::make_unique<DeclaredBackend>(*info);
}

}  // namespace fuselab
