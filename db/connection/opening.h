// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// The facts about an existing file, found without changing it.
struct FileState {
  bool fresh = true;  // absent, or an empty database, which may be taken over
  int schema = 0;
};

// Inspects a file.
// Fails for a file that must not be changed: another program's, a damaged one, one of a newer Fuselab, a folder.
Result<FileState> inspect(const std::filesystem::path& path);

// Opens a read-only connection, beside a writer or alone on a read-only medium.
// Fails with kNotFound when there is no file.
Result<std::unique_ptr<Connection>> open_for_reading(const std::filesystem::path& path);
// Opens a writing connection; the file is made and migrated as needed. The caller must hold the writer's lease.
Result<std::unique_ptr<Connection>> open_for_writing(const std::filesystem::path& path);

}  // namespace fuselab::db
