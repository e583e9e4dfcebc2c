// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::platform {

// What files in a folder cost and how much of them there may be.
struct FileRoom {
  Bytes free;              // for this user
  bool in_memory = false;  // a file system that lies in memory alone (tmpfs, ramfs): its files take it away from programs
};

// Of the file system that the folder lies on. kIo when it cannot be asked.
Result<FileRoom> file_room(const std::filesystem::path& folder);

}  // namespace fuselab::platform
