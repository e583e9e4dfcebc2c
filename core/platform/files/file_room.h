// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::platform {

// The free space of the file system below a folder, and whether it takes memory.
struct FileRoom {
  Bytes free;              // for this user
  bool in_memory = false;  // file system in memory (tmpfs, ramfs), whose files leave less memory to programs
};

// Returns the room of the file system that the folder lies on.
// Fails with kIo when it cannot be queried.
Result<FileRoom> file_room(const std::filesystem::path& folder);

}  // namespace fuselab::platform
