// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_room.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <limits>

#include "core/platform/system/os_error.h"

namespace fuselab::platform {

Result<FileRoom> file_room(const std::filesystem::path& folder) {
  struct statfs facts {};
  if (::statfs(folder.c_str(), &facts) != 0) return last_os_error("ask for the room in '" + folder.string() + "'");
  FileRoom room;
  if (__builtin_mul_overflow(facts.f_bavail, facts.f_bsize, &room.free.count))
    room.free.count = std::numeric_limits<std::int64_t>::max();
  room.in_memory = facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC;
  // A tmpfs without a limit of its own says that it has no blocks at all.
  if (room.in_memory && facts.f_blocks == 0) room.free.count = std::numeric_limits<std::int64_t>::max();
  return room;
}

}  // namespace fuselab::platform
