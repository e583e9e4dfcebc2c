// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "backends/host/guarded_memory.h"

namespace fuselab::host {

// A tensor laid out as a library likes, made ahead of what is timed: one copy for each address of the plain tensor, so that a plan
// that is bound to several tensors in turn packs each of them once. Used by one thread.
class PackedCopies {
 public:
  explicit PackedCopies(Bytes size) : size_(size) {}

  // Returns the copy of what lies at `plain`; `pack` writes it, unless it was made of this version already. A version counts how
  // often the plain tensor was written from outside, from 1 on.
  Result<std::byte*> copy_of(const std::byte* plain, std::uint64_t version, const std::function<Status(std::byte*)>& pack);

 private:
  struct Copy {
    GuardedMemory memory;
    std::uint64_t version = 0;  // of the tensor that was packed last
  };

  Bytes size_;
  std::map<const std::byte*, Copy> copies_;
};

}  // namespace fuselab::host
