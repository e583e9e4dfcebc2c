// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/onednn/library/onednn_library.h"
#include "core/backend/device_info.h"

namespace fuselab::onednn {

// Opens the library on first use and keeps the result, a failure as well. Used by one thread.
class OneDnnStack {
 public:
  using Open = std::function<Result<std::shared_ptr<OneDnnLibrary>>()>;
  explicit OneDnnStack(Open open = [] { return OneDnnLibrary::open(); }) : open_(std::move(open)) {}

  const Result<std::shared_ptr<OneDnnLibrary>>& library();

 private:
  Open open_;
  std::optional<Result<std::shared_ptr<OneDnnLibrary>>> found_;
};

// Returns this machine's processor as the library drives it: onednn:0. Its target holds the library's version and the instruction
// set that it uses here.
DeviceInfo describe_device(const OneDnnLibrary& library);
// Returns what the library implements here, by asking it: the operators in f32, and the further types that it multiplies matrices
// in.
BackendCapabilities capabilities_of(const OneDnnLibrary& library);

}  // namespace fuselab::onednn
