// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/device_memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace fuselab::gpu::stream {
namespace {

bool zones_are_wanted() {
  const char* const set = std::getenv("FUSELAB_GUARD_ZONES");
  return set == nullptr || std::string_view(set) != "0";
}

}  // namespace

Result<PinnedMemory> PinnedMemory::create(DeviceContext& context, std::size_t bytes) {
  PinnedMemory memory(context);
  void* pointer = nullptr;
  FL_TRY_VOID(context.check(context.calls().host_allocate(&pointer, bytes, context.vendor().host_flags),
                            "page-locking " + format_bytes({static_cast<std::int64_t>(bytes)})));
  memory.data_ = static_cast<std::byte*>(pointer);
  memory.size_ = bytes;
  return memory;
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : context_(other.context_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr && !context_->lost()) context_->calls().host_release(data_);
}

Result<abi::DevicePointer> PinnedMemory::on_device() const {
  abi::DevicePointer pointer = 0;
  FL_TRY_VOID(context_->check(context_->calls().host_device_pointer(&pointer, data_, 0), "mapping page-locked memory"));
  return pointer;
}

Result<DeviceMemory> DeviceMemory::create(DeviceContext& context, Bytes size, Access access) {
  if (size.count < 0) return invalid_argument("a buffer of " + std::to_string(size.count) + " bytes");
  DeviceMemory memory(context, access, zones_are_wanted() ? kZone : 0);
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(1, size.count + 2 * memory.zone_));
  FL_TRY_VOID(context.check(context.calls().allocate(&memory.base_, whole), "allocating " + format_bytes(size)));
  memory.size_ = size;
  if (memory.zone_ == 0) return memory;
  // Straight from the stack: the driver has taken small copies of pageable memory over before the call returns.
  const auto pattern = guard_zone<kZone>(access);
  for (const abi::DevicePointer at : {memory.base_, memory.end()}) {
    FL_TRY_VOID(
        context.check(context.calls().copy_to_device(at, pattern.data(), pattern.size(), context.stream()), "guarding a buffer"));
  }
  FL_TRY_VOID(context.synchronize("guarding a buffer"));
  return memory;
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : context_(other.context_),
      access_(other.access_),
      zone_(other.zone_),
      base_(std::exchange(other.base_, 0)),
      size_(other.size_) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(access_, other.access_);
  std::swap(zone_, other.zone_);
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (base_ != 0 && !context_->lost()) context_->calls().release(base_);
}

Status DeviceMemory::fill(std::uint32_t word, const char* doing) {
  return context_->check(
      context_->calls().fill_32(address(), word, static_cast<std::size_t>(size_.count) / sizeof word, context_->stream()), doing);
}

Result<bool> DeviceMemory::intact(PinnedMemory& staging) const {
  if (zone_ == 0) return true;
  const auto pattern = guard_zone<kZone>(access_);
  for (const abi::DevicePointer at : {base_, end()}) {
    std::array<std::byte, kZone> found;
    FL_TRY_VOID(copy_to_host(*context_, staging, found, at));
    if (found != pattern) return false;
  }
  return true;
}

Status copy_to_device(DeviceContext& context, PinnedMemory& staging, abi::DevicePointer to, std::span<const std::byte> from) {
  for (std::size_t at = 0; at < from.size(); at += staging.size()) {
    const std::size_t piece = std::min(staging.size(), from.size() - at);
    std::memcpy(staging.data(), from.data() + at, piece);
    FL_TRY_VOID(
        context.check(context.calls().copy_to_device(to + at, staging.data(), piece, context.stream()), "copying to the device"));
    FL_TRY_VOID(context.synchronize("copying to the device"));
  }
  return {};
}

Status copy_to_host(DeviceContext& context, PinnedMemory& staging, std::span<std::byte> to, abi::DevicePointer from) {
  for (std::size_t at = 0; at < to.size(); at += staging.size()) {
    const std::size_t piece = std::min(staging.size(), to.size() - at);
    FL_TRY_VOID(
        context.check(context.calls().copy_to_host(staging.data(), from + at, piece, context.stream()), "copying from the device"));
    FL_TRY_VOID(context.synchronize("copying from the device"));
    std::memcpy(to.data() + at, staging.data(), piece);
  }
  return {};
}

}  // namespace fuselab::gpu::stream
