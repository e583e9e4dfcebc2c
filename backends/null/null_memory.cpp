// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_memory.h"

#include <algorithm>
#include <new>

namespace fuselab::null {
namespace {

constexpr std::size_t kFenceBytes = 64;
constexpr std::byte kFence{0xfe};

}  // namespace

Result<Buffer> NullMemory::allocate(Bytes size, BufferRole role) {
  if (size.count < 0) return invalid_argument("a buffer of " + std::to_string(size.count) + " bytes");
  const auto room = static_cast<std::size_t>(size.count);
  Allocation allocation{std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[room + kFenceBytes]()), room};
  if (!allocation.bytes) return Error{ErrorCode::kOutOfMemory, "cannot allocate " + format_bytes(size)};
  std::fill_n(allocation.bytes.get() + room, kFenceBytes, kFence);
  Buffer buffer;
  buffer.handle = next_handle_++;
  buffer.size = size;
  buffer.role = role;
  allocations_.emplace(buffer.handle, std::move(allocation));
  return buffer;
}

Status NullMemory::release(const Buffer& buffer) {
  const auto found = allocations_.find(buffer.handle);
  if (found == allocations_.end()) return invalid_argument("buffer " + std::to_string(buffer.handle) + " is not allocated");
  const bool whole = fence_is_whole(found->second);
  allocations_.erase(found);
  if (!whole) return Error{ErrorCode::kLaunchFailed, "something wrote behind the end of a buffer"};
  return Status();
}

Result<std::span<std::byte>> NullMemory::bytes_of(const Buffer& buffer, std::size_t size) {
  const auto found = allocations_.find(buffer.handle);
  if (found == allocations_.end()) return invalid_argument("buffer " + std::to_string(buffer.handle) + " is not allocated");
  const std::size_t room = found->second.room;
  const auto offset = static_cast<std::size_t>(std::max<std::int64_t>(buffer.offset, 0));
  if (offset > room || size > room - offset) {
    return invalid_argument("buffer of " + std::to_string(room) + " bytes is too small for " + std::to_string(size) + " at " +
                            std::to_string(offset));
  }
  return std::span(found->second.bytes.get() + offset, size);
}

Status NullMemory::check_fences() const {
  const auto broken =
      std::find_if(allocations_.begin(), allocations_.end(), [](const auto& row) { return !fence_is_whole(row.second); });
  if (broken == allocations_.end()) return Status();
  return Error{ErrorCode::kLaunchFailed, "something wrote behind the end of buffer " + std::to_string(broken->first)};
}

bool NullMemory::fence_is_whole(const Allocation& allocation) {
  const std::byte* const fence = allocation.bytes.get() + allocation.room;
  return std::all_of(fence, fence + kFenceBytes, [](std::byte b) { return b == kFence; });
}

}  // namespace fuselab::null
