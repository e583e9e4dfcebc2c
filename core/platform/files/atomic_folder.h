// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/base/result.h"

namespace fuselab::platform {

// Contents by names below the folder, parts of which are separated by '/'; no name leads upwards.
using FolderFiles = std::map<std::string, std::span<const std::byte>>;

// Writes a folder with these files and nothing else, so that every reader, now or after a crash, sees the old one, the new one or,
// on file systems that cannot exchange two folders, for an instant none: it is written beside `path`, synced and renamed, and what
// was there goes with all that is in it. On an error the old one stays. `path` is no link.
Status write_folder_atomically(const std::filesystem::path& path, const FolderFiles& files);

}  // namespace fuselab::platform
