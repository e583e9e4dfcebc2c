// SPDX-License-Identifier: Apache-2.0
#include "backends/host/packed_copies.h"

namespace fuselab::host {

Result<std::byte*> PackedCopies::copy_of(const std::byte* plain, std::uint64_t version,
                                         const std::function<Status(std::byte*)>& pack) {
  auto found = copies_.find(plain);
  if (found == copies_.end()) {
    FL_TRY(GuardedMemory memory, GuardedMemory::create(size_));
    found = copies_.emplace(plain, Copy{std::move(memory)}).first;
  }
  Copy& copy = found->second;
  if (copy.version == version) return copy.memory.data();
  FL_TRY_VOID(pack(copy.memory.data()));
  copy.version = version;
  return copy.memory.data();
}

}  // namespace fuselab::host
