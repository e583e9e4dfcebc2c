// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::host {

// Memory between two pages that fault when touched. The data ends as close to the second one as 64-byte alignment allows;
// the gap (less than 64 bytes) and the space before the data hold a pattern that intact() checks. Owns its mapping.
class GuardedMemory {
 public:
  static Result<GuardedMemory> create(Bytes size);
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool intact() const;

 private:
  GuardedMemory() = default;

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::byte* begin_ = nullptr;  // first and one past the last accessible byte
  std::byte* end_ = nullptr;
};

}  // namespace fuselab::host
