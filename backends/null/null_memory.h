// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "core/backend/device_runtime.h"

namespace fuselab::null {

// Host memory behind opaque handles. Each allocation is followed by a fence of known bytes that check_fences() checks.
class NullMemory {
 public:
  Result<Buffer> allocate(Bytes size, BufferRole role);
  Status release(const Buffer& buffer);  // fails with kLaunchFailed when something wrote behind the end
  // Returns the buffer's bytes; fails when it is unknown or smaller than `size`.
  Result<std::span<std::byte>> bytes_of(const Buffer& buffer, std::size_t size);
  Status check_fences() const;

 private:
  struct Allocation {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t room = 0;  // bytes without the fence behind them
  };
  static bool fence_is_whole(const Allocation& allocation);

  std::map<std::uint64_t, Allocation> allocations_;  // by handle
  std::uint64_t next_handle_ = 1;
};

}  // namespace fuselab::null
