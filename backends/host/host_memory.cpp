// SPDX-License-Identifier: Apache-2.0
#include "backends/host/host_memory.h"

#include <algorithm>

namespace fuselab::host {

Result<Buffer> HostMemory::allocate(Bytes size, BufferRole role) {
  FL_TRY(GuardedMemory memory, GuardedMemory::create(size));
  const std::uint64_t handle = ++last_handle_;
  allocations_.emplace(handle, Allocation{std::move(memory), role, ++last_version_});
  return Buffer{handle, size, 0, 64, role};
}

Status HostMemory::release(const Buffer& buffer) {
  if (allocations_.erase(buffer.handle) == 0) return Error{ErrorCode::kNotFound, "no such buffer: it was released before"};
  return Status();
}

Result<std::byte*> HostMemory::address_of(const Buffer& buffer) const {
  const auto found = allocations_.find(buffer.handle);
  if (found == allocations_.end()) return Error{ErrorCode::kNotFound, "no such buffer on " + owner_};
  const auto room = static_cast<std::int64_t>(found->second.memory.size());
  if (buffer.offset < 0 || buffer.offset + buffer.size.count > room) {
    return invalid_argument("the buffer reaches past its allocation of " + format_bytes({room}));
  }
  return found->second.memory.data() + buffer.offset;
}

Result<std::uint64_t> HostMemory::version_of(const Buffer& buffer) const {
  const auto found = allocations_.find(buffer.handle);
  if (found == allocations_.end()) return Error{ErrorCode::kNotFound, "no such buffer on " + owner_};
  return found->second.version;
}

Status HostMemory::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(std::byte* const address, address_of(to));
  if (static_cast<std::int64_t>(from.size()) > to.size.count) return invalid_argument("upload is larger than its buffer");
  std::copy(from.begin(), from.end(), address);
  allocations_.find(to.handle)->second.version = ++last_version_;
  return Status();
}

Status HostMemory::download(std::span<std::byte> to, const Buffer& from) const {
  FL_TRY(const std::byte* const address, address_of(from));
  if (static_cast<std::int64_t>(to.size()) > from.size.count) return invalid_argument("download is larger than its buffer");
  std::copy(address, address + to.size(), to.begin());
  return Status();
}

Status HostMemory::check_fences() const {
  for (const auto& [handle, allocation] : allocations_) {
    if (allocation.memory.intact()) continue;
    return Error{ErrorCode::kLaunchFailed, "a kernel wrote outside the '" + std::string(name_of(allocation.role)) + "' buffer of " +
                                               format_bytes({static_cast<std::int64_t>(allocation.memory.size())})};
  }
  return Status();
}

}  // namespace fuselab::host
