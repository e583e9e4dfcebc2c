// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/device_memory.h"

#include <algorithm>
#include <array>

namespace fuselab::opencl {
namespace {

using namespace abi;

constexpr std::size_t kFrontZone = DeviceMemory::kZone;
constexpr Bool kBlocking = 1;

}  // namespace

Result<DeviceMemory> DeviceMemory::create(OpenClContext& context, Bytes size, Access access) {
  if (size.count < 0) return invalid_argument("a buffer of " + std::to_string(size.count) + " bytes");
  DeviceMemory memory(context, access);
  const auto bytes = static_cast<std::size_t>(size.count);
  Code code = kSuccess;
  memory.whole_ = context.calls().create_buffer(context.handle(), kMemReadWrite, bytes + 2 * kZone, nullptr, &code);
  FL_TRY_VOID(context.check(code, "allocating " + format_bytes(size)));
  memory.size_ = size;
  const auto pattern = gpu::guard_zone<kZone>(access);
  for (const std::size_t at : {std::size_t{0}, kFrontZone + bytes}) {
    FL_TRY_VOID(context.check(
        context.calls().write(context.queue(), memory.whole_, kBlocking, at, pattern.size(), pattern.data(), 0, nullptr, nullptr),
        "guarding a buffer"));
  }
  return memory;
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : context_(other.context_),
      access_(other.access_),
      whole_(std::exchange(other.whole_, nullptr)),
      size_(other.size_),
      parts_(std::exchange(other.parts_, {})) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(access_, other.access_);
  std::swap(whole_, other.whole_);
  std::swap(size_, other.size_);
  std::swap(parts_, other.parts_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [place, memory] : parts_) context_->calls().release_memory(memory);
  if (whole_ != nullptr) context_->calls().release_memory(whole_);
}

Result<Memory> DeviceMemory::part(std::int64_t offset, std::int64_t bytes) {
  const auto [found, added] = parts_.try_emplace({offset, bytes}, nullptr);
  if (!added) return found->second;
  // A sub-buffer of nothing is refused by the language; nothing reads this one.
  const BufferRegion region{kFrontZone + static_cast<std::size_t>(offset),
                            static_cast<std::size_t>(std::max<std::int64_t>(1, bytes))};
  Code code = kSuccess;
  const Memory memory = context_->calls().create_sub_buffer(whole_, kMemReadWrite, kBufferCreateTypeRegion, &region, &code);
  if (code == kSuccess) return found->second = memory;
  parts_.erase(found);
  return context_->check(code, "taking the part of a buffer at " + std::to_string(offset)).error();
}

Status DeviceMemory::write(std::int64_t offset, std::span<const std::byte> from) {
  if (from.empty()) return {};
  return context_->check(
      context_->calls().write(context_->queue(), whole_, kBlocking, kFrontZone + static_cast<std::size_t>(offset), from.size(),
                              from.data(), 0, nullptr, nullptr),
      "copying to the device");
}

Status DeviceMemory::read(std::span<std::byte> to, std::int64_t offset) const {
  if (to.empty()) return {};
  return context_->check(context_->calls().read(context_->queue(), whole_, kBlocking, kFrontZone + static_cast<std::size_t>(offset),
                                                to.size(), to.data(), 0, nullptr, nullptr),
                         "copying from the device");
}

Status DeviceMemory::fill(std::uint32_t word) {
  const auto bytes = static_cast<std::size_t>(size_.count) / sizeof word * sizeof word;
  if (bytes == 0) return {};
  return context_->check(
      context_->calls().fill(context_->queue(), whole_, &word, sizeof word, kFrontZone, bytes, 0, nullptr, nullptr),
      "filling a buffer");
}

Result<bool> DeviceMemory::intact() const {
  const auto pattern = gpu::guard_zone<kZone>(access_);
  for (const std::int64_t at : {-static_cast<std::int64_t>(kZone), size_.count}) {
    std::array<std::byte, kZone> found;
    FL_TRY_VOID(read(found, at));
    if (found != pattern) return false;
  }
  return true;
}

}  // namespace fuselab::opencl
