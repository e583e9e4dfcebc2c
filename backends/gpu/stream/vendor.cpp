// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/vendor.h"

#include <algorithm>

namespace fuselab::gpu::stream {

ErrorCode Vendor::meaning_of(abi::Code code) const {
  const auto found = std::ranges::find(meanings, code, &Meaning::code);
  return found == meanings.end() ? ErrorCode::kLaunchFailed : found->meaning;
}

bool Vendor::loses_device(abi::Code code) const {
  const ErrorCode meaning = meaning_of(code);
  return meaning == ErrorCode::kCrashed || meaning == ErrorCode::kTimeout;
}

}  // namespace fuselab::gpu::stream
