// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "backends/host/guarded_memory.h"
#include "core/backend/device_runtime.h"

namespace fuselab::host {

// The buffers of a runtime whose device is this process's processor: guarded, behind handles. Used by one thread.
class HostMemory {
 public:
  // `owner` is the device's id, for messages.
  explicit HostMemory(std::string owner) : owner_(std::move(owner)) {}

  Result<Buffer> allocate(Bytes size, BufferRole role);
  Status release(const Buffer& buffer);
  Status upload(const Buffer& to, std::span<const std::byte> from);
  Status download(std::span<std::byte> to, const Buffer& from) const;
  Result<std::byte*> address_of(const Buffer& buffer) const;
  // Returns a number that changes whenever the host writes to the buffer; no two buffers of this memory ever share one.
  Result<std::uint64_t> version_of(const Buffer& buffer) const;
  // Fails with kLaunchFailed, naming the role of a buffer whose fence was overwritten.
  Status check_fences() const;

 private:
  struct Allocation {
    GuardedMemory memory;
    BufferRole role;
    std::uint64_t version = 0;
  };

  std::string owner_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t last_handle_ = 0;
  std::uint64_t last_version_ = 0;
};

}  // namespace fuselab::host
