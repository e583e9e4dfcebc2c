// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/guests/amd_lender.h"

#include "backends/rocm/compiler/hip_compiler.h"
#include "backends/rocm/driver/hip_device.h"

namespace fuselab::hip {
namespace {

constexpr std::string_view kFolders[] = {"/opt/rocm/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"};
constexpr std::string_view kWheelFolders[] = {"_rocm_sdk_libraries/lib", "_rocm_sdk_core/lib"};

}  // namespace

gpu::Lender amd_lender() {
  using Opened = Result<std::shared_ptr<const gpu::stream::Driver>>;
  const auto open = []() -> Opened {
    FL_TRY(std::shared_ptr<const HipDriver> opened, HipDriver::open());
    return Opened(std::move(opened));
  };
  const auto describe = [](const gpu::stream::Driver& driver) { return describe_devices(static_cast<const HipDriver&>(driver)); };
  return {"AMD GPU", "clang or hiprtc", open, describe, std::make_shared<HipCompiler>()};
}

Result<loading::OpenedLibrary> open_amd_library(std::string_view name, std::span<const std::string_view> sonames,
                                                std::span<const loading::Symbol> symbols) {
  const loading::VendorLibrary wanted{name, sonames, kFolders, kWheelFolders};
  FL_TRY(loading::OpenedLibrary opened, loading::open_vendor_library(wanted, loading::real_surroundings(name)));
  FL_TRY_VOID(loading::resolve(opened, symbols));
  return opened;
}

}  // namespace fuselab::hip
