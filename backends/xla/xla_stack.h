// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backends/xla/library/pjrt_library.h"
#include "core/backend/device_info.h"

namespace fuselab::xla {

// Opens the plugin on first use and keeps the result, a failure as well. Used by one thread.
class XlaStack {
 public:
  using Open = std::function<Result<std::shared_ptr<PjrtLibrary>>()>;
  explicit XlaStack(Open open = [] { return PjrtLibrary::open(); }) : open_(std::move(open)) {}

  const Result<std::shared_ptr<PjrtLibrary>>& library();

 private:
  Open open_;
  std::optional<Result<std::shared_ptr<PjrtLibrary>>> found_;
};

// Returns this machine's processor as XLA drives it: xla:0. Its target holds the plugin's build, since a program that another build
// serialised may compute something else.
DeviceInfo describe_device(const PjrtLibrary& library);
// "xla-0.115-1a2b…-x86-64-v4": interface, build, and the instructions that XLA may use here, since what it serialises is machine
// code.
std::string target_id(const PjrtLibrary& library);
BackendCapabilities xla_capabilities();

}  // namespace fuselab::xla
