// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "backends/gpu/guard_zone.h"
#include "core/backend/device_runtime.h"

namespace fuselab::gpu {

inline Access access_of(BufferRole role) {
  return role == BufferRole::kIn ? Access::kRead : Access::kWritten;
}

// The buffers of a runtime, by handle. Memory is a vendor's memory between two guard zones with a function size().
template <typename Memory>
class BufferTable {
 public:
  struct Place {
    Memory& memory;
    std::int64_t offset;
  };

  Buffer add(Memory memory, BufferRole role) {
    const Bytes size = memory.size();
    bytes_ += size.count;
    entries_.emplace(++last_handle_, Entry{std::move(memory), role});
    return Buffer{last_handle_, size, 0, 64, role};
  }

  // Removes a buffer. Its zones are checked with `intact(memory)`, unless no kernel ran since they were last found intact.
  template <typename Intact>
  Status remove(const Buffer& buffer, const Intact& intact) {
    const auto found = entries_.find(buffer.handle);
    if (found == entries_.end()) return Error{ErrorCode::kNotFound, "no such buffer: it was released before"};
    Status status = checked_ ? Status() : check(found->second, intact);
    bytes_ -= found->second.memory.size().count;
    entries_.erase(found);
    return status;
  }

  template <typename Intact>
  Status check(const Intact& intact) const {
    for (const auto& [handle, entry] : entries_) FL_TRY_VOID(check(entry, intact));
    return {};
  }

  Result<Place> find(const Buffer& buffer, const std::string& device) {
    const auto found = entries_.find(buffer.handle);
    if (found == entries_.end()) return Error{ErrorCode::kNotFound, "no such buffer on " + device};
    Memory& memory = found->second.memory;
    if (buffer.offset < 0 || buffer.size.count < 0 || buffer.offset > memory.size().count - buffer.size.count) {
      return invalid_argument("the buffer reaches past its allocation of " + format_bytes(memory.size()));
    }
    return Place{memory, buffer.offset};
  }

  Result<Place> find_for_upload(const Buffer& to, std::span<const std::byte> from, const std::string& device) {
    FL_TRY(const Place place, find(to, device));
    if (static_cast<std::int64_t>(from.size()) > to.size.count) return invalid_argument("upload is larger than its buffer");
    return place;
  }
  Result<Place> find_for_download(std::span<const std::byte> to, const Buffer& from, const std::string& device) {
    FL_TRY(const Place place, find(from, device));
    if (static_cast<std::int64_t>(to.size()) > from.size.count) return invalid_argument("download is larger than its buffer");
    return place;
  }

  std::int64_t bytes() const { return bytes_; }
  // Returns true when no kernel ran since the zones were found intact or their damage was reported.
  bool checked() const { return checked_; }
  void set_checked(bool checked) { checked_ = checked; }

 private:
  struct Entry {
    Memory memory;
    BufferRole role;
  };

  template <typename Intact>
  static Status check(const Entry& entry, const Intact& intact) {
    FL_TRY(const bool whole, std::invoke(intact, entry.memory));
    if (whole) return {};
    return Error{ErrorCode::kLaunchFailed, "a kernel wrote outside the '" + std::string(name_of(entry.role)) + "' buffer of " +
                                               format_bytes(entry.memory.size())};
  }

  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t last_handle_ = 0;
  std::int64_t bytes_ = 0;
  bool checked_ = true;
};

}  // namespace fuselab::gpu
