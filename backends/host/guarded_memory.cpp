// SPDX-License-Identifier: Apache-2.0
#include "backends/host/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/platform/system/os_error.h"

namespace fuselab::host {
namespace {

constexpr std::byte kPattern{0xA5};
constexpr std::size_t kAlignment = 64;

}  // namespace

Result<GuardedMemory> GuardedMemory::create(Bytes size) {
  if (size.count < 0) return invalid_argument("a buffer of negative size was asked for");
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const auto wanted = static_cast<std::size_t>(size.count);
  const std::size_t inner = std::max<std::size_t>(page, (wanted + page - 1) / page * page);
  GuardedMemory memory;
  memory.mapped_ = inner + 2 * page;
  void* mapping = mmap(nullptr, memory.mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return platform::last_os_error("allocate " + format_bytes(size));
  memory.mapping_ = static_cast<std::byte*>(mapping);
  memory.begin_ = memory.mapping_ + page;
  memory.end_ = memory.begin_ + inner;
  if (mprotect(memory.begin_, inner, PROT_READ | PROT_WRITE) != 0) return platform::last_os_error("allocate " + format_bytes(size));
  const auto last = reinterpret_cast<std::uintptr_t>(memory.end_) - wanted;
  memory.data_ = reinterpret_cast<std::byte*>(last / kAlignment * kAlignment);
  memory.size_ = wanted;
  std::fill(memory.begin_, memory.data_, kPattern);
  std::fill(memory.data_ + wanted, memory.end_, kPattern);
  return memory;
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept {
  *this = std::move(other);
}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  return *this;
}

GuardedMemory::~GuardedMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

bool GuardedMemory::intact() const {
  const auto kept = [](const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [](std::byte b) { return b == kPattern; });
  };
  return kept(begin_, data_) && kept(data_ + size_, end_);
}

}  // namespace fuselab::host
