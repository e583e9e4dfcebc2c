// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "backends/gpu/guard_zone.h"
#include "backends/opencl/opencl_context.h"
#include "core/base/units.h"

namespace fuselab::opencl {

using gpu::Access;

// A buffer between two guard zones. Kernels get parts of it as sub-buffers. Owns them; must be destroyed before its context.
class DeviceMemory {
 public:
  static constexpr std::size_t kZone = 4096;  // bytes, at least the largest alignment of a sub-buffer that drivers ask for

  static Result<DeviceMemory> create(OpenClContext& context, Bytes size, Access access);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  Bytes size() const { return size_; }
  // Returns the sub-buffer to give to a kernel: `bytes` from `offset` on.
  Result<abi::Memory> part(std::int64_t offset, std::int64_t bytes);
  Status write(std::int64_t offset, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, std::int64_t offset) const;
  // Queues the fill and returns.
  Status fill(std::uint32_t word);
  Result<bool> intact() const;

 private:
  DeviceMemory(OpenClContext& context, Access access) : context_(&context), access_(access) {}

  OpenClContext* context_;
  Access access_;
  abi::Memory whole_ = nullptr;
  Bytes size_;
  std::map<std::pair<std::int64_t, std::int64_t>, abi::Memory> parts_;  // by offset and bytes
};

}  // namespace fuselab::opencl
