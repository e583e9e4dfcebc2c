// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "backends/gpu/guard_zone.h"
#include "backends/gpu/stream/device_context.h"
#include "core/base/units.h"

namespace fuselab::gpu::stream {

// Memory that both the host and the device reach, page-locked. Owns it; must be destroyed before its context.
class PinnedMemory {
 public:
  static Result<PinnedMemory> create(DeviceContext& context, std::size_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  Result<abi::DevicePointer> on_device() const;

 private:
  explicit PinnedMemory(DeviceContext& context) : context_(&context) {}

  DeviceContext* context_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Memory of the device between two guard zones. FUSELAB_GUARD_ZONES=0 omits the zones, for tools that watch every access
// (compute-sanitizer): to them a zone is memory like any other. Owns it; must be destroyed before its context.
class DeviceMemory {
 public:
  static constexpr std::int64_t kZone = 512;  // bytes before and behind, if there are zones

  static Result<DeviceMemory> create(DeviceContext& context, Bytes size, Access access);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  abi::DevicePointer address() const { return base_ + static_cast<abi::DevicePointer>(zone_); }
  Bytes size() const { return size_; }
  // Queues the fill and returns. `doing` is what an error says was going on.
  Status fill(std::uint32_t word, const char* doing = "filling a buffer");
  // Copies both zones back and compares. Waits for the stream.
  Result<bool> intact(PinnedMemory& staging) const;

 private:
  DeviceMemory(DeviceContext& context, Access access, std::int64_t zone) : context_(&context), access_(access), zone_(zone) {}
  abi::DevicePointer end() const { return address() + static_cast<abi::DevicePointer>(size_.count); }

  DeviceContext* context_;
  Access access_;
  std::int64_t zone_;  // kZone, or 0
  abi::DevicePointer base_ = 0;
  Bytes size_;
};

// Copies through page-locked memory, piece by piece; returns when everything has arrived.
Status copy_to_device(DeviceContext& context, PinnedMemory& staging, abi::DevicePointer to, std::span<const std::byte> from);
Status copy_to_host(DeviceContext& context, PinnedMemory& staging, std::span<std::byte> to, abi::DevicePointer from);

}  // namespace fuselab::gpu::stream
