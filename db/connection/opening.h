// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// What a look at an existing file found; nothing was changed by looking.
struct FileState {
  bool fresh = true;  // absent, or an empty database: may become ours
  int schema = 0;
};

// Refuses what is not ours to touch: another program's file, a damaged one, one of a newer Fuselab, a folder.
Result<FileState> inspect(const std::filesystem::path& path);

// A read-only connection; beside a writer, or alone on a read-only medium. kNotFound when there is no file.
Result<std::unique_ptr<Connection>> open_for_reading(const std::filesystem::path& path);
// A writing connection, made and migrated as needed. The caller holds the writer's lease.
Result<std::unique_ptr<Connection>> open_for_writing(const std::filesystem::path& path);

}  // namespace fuselab::db
