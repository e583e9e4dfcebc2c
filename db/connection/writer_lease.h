// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/platform/files/file_lock.h"

namespace fuselab::db {

// Acquires the right to write one database: a lock on "<database>.lock", links followed, that the kernel releases when the process
// ends, in whatever way.
// Fails with kBusy, naming the holder, and with kIo when the lock file cannot be made.
Result<platform::FileLock> acquire_writer_lease(const std::filesystem::path& database);

// Returns the present holder of the lease ("fuselab (pid 4711) since …"); empty when there is none. Does not change the lock file.
std::string lease_holder(const std::filesystem::path& database);

}  // namespace fuselab::db
